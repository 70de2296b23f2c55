#include "calibrate/tables/data_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.hpp"

namespace rackcast {

std::vector<DataFile> shipped_data_files() {
  std::vector<DataFile> files;
  for (const EmbeddedFile& file : calibrate_data())
    files.push_back(
        {std::string{file.name}, "calibrate/data/" + std::string{file.name}, std::string{file.text}});
  return files;
}

std::vector<DataFile> read_data_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<DataFile> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator{folder}) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in{entry.path(), std::ios::binary};
      std::ostringstream text;
      text << in.rdbuf();
      if (!in) throw Error{"cannot read the file", Where{.file = entry.path().string()}};
      files.push_back(
          {fs::relative(entry.path(), folder).generic_string(), entry.path().string(), text.str()});
    }
  } catch (const fs::filesystem_error& e) {
    throw Error{"cannot read the folder: " + e.code().message(), Where{.file = folder}};
  }
  std::sort(files.begin(), files.end(), [](const DataFile& a, const DataFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace rackcast
