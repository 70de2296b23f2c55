#include "tests/fuzz/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast::fuzz {

const Catalog& builtin_catalog() {
  static const Catalog catalog = Catalog::builtin();
  return catalog;
}

std::string scratch_file(const std::string& name) {
  static const TemporaryFolder folder;
  return folder / name;
}

void write_scratch(const std::string& path, const std::string& bytes) {
  remove_scratch(path);
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
  std::ofstream out{path, std::ios::binary};
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error{"cannot write " + path};
}

void remove_scratch(const std::string& path) {
  for (const char* ending : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(path + ending);
}

}  // namespace rackcast::fuzz
