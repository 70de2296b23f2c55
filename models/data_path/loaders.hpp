#pragma once
/// Input paths of frameworks that decode JPEG files at a rate of their own:
/// models/data/data_path/loaders.json.
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct Loader {
  std::string name;
  Frequency per_core{0};  ///< images of ImageNet's size
  bool jitter = false;    ///< batch times vary as those of thread queues do (starvation.hpp)
};

/// Throws Error that lists the loaders for an unknown name.
Loader image_loader(std::string_view name);
std::vector<std::string> loader_names();

}  // namespace rackcast
