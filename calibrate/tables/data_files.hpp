#pragma once
/// Measurement files as text: those that travel inside the program, or those of a folder.
#include <span>
#include <string>
#include <vector>

#include "sim/base/embedded.hpp"

namespace rackcast {

std::span<const EmbeddedFile> calibrate_data();  ///< defined by rackcast_embed

/// One file; `name` is relative to the data folder ("deepbench/conv.csv"), `path` is what messages show.
struct DataFile {
  std::string name, path, text;
};

/// The files that came with the program.
std::vector<DataFile> shipped_data_files();

/// Every regular file below `folder`, sorted by name. Throws Error if it is missing or unreadable.
std::vector<DataFile> read_data_folder(const std::string& folder);

}  // namespace rackcast
