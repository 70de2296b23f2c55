#include "commands/scratch_folder.hpp"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "sim/base/error.hpp"

namespace rackcast {

ScratchFolder::ScratchFolder()
    : path_((std::filesystem::temp_directory_path() / "rackcast-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw Error{"cannot make a temporary folder", Where{.file = path_},
                "set TMPDIR to a folder you may write in"};
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace rackcast
