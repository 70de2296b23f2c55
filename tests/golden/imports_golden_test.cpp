// Every file of the corpus becomes the same document, and nothing private gets into it. The files were made
// by hand in the forms that the tools and their versions write; every name of a host, user, path or serial
// number in them holds the word "secret".
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "calibrate/import/import.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> corpus() {
  std::vector<fs::path> out;
  for (const char* folder : {"/tests/data/imports", "/tests/data/launch"})
    for (const auto& entry : fs::directory_iterator{RACKCAST_SOURCE_DIR + std::string{folder}})
      if (entry.is_regular_file() && entry.path().filename() != "README.md") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

TEST_CASE("imported files give the documents that were reviewed") {
  const Catalog catalog = Catalog::builtin();
  const fs::path golden = std::string{RACKCAST_SOURCE_DIR} + "/tests/golden/imports";
  const bool update = std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr;
  const auto files = corpus();
  CHECK(files.size() >= 20);
  int private_files = 0;
  for (const fs::path& file : files) {
    CAPTURE(file.filename().string());
    const std::string text = read_file(file.string());
    const ImportResult result =
        import_text(catalog, {.kind = {}, .path = file.string(), .program = "test"}, text);
    private_files += lower(text).find("secret") != std::string::npos ? 1 : 0;
    CHECK(lower(result.text).find("secret") == std::string::npos);
    // Naming the kind changes nothing.
    CHECK(import_text(catalog, {.kind = result.kind, .path = "x", .program = "test"}, text).text ==
          result.text);
    const std::string expected = (golden / (file.filename().string() + ".json")).string();
    if (update) {
      write_file_atomically(expected, result.text);
    } else {
      CHECK(read_file(expected) == result.text);
    }
  }
  CHECK(private_files >= 13);
}

}  // namespace
}  // namespace rackcast
