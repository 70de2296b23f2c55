#pragma once
#include <span>
#include <string_view>

namespace rackcast {

/// A data file that travels inside the program (see rackcast_embed in cmake/RackcastLibrary.cmake).
/// `name` is relative to the embedded folder, e.g. "gpus/p100_sxm2.json".
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace rackcast
