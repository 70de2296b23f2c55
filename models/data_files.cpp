#include "models/data_files.hpp"

#include <span>

#include "sim/embedded.hpp"
#include "sim/error.hpp"

namespace rackcast {

std::span<const EmbeddedFile> model_data();

Json parse_model_data(std::string_view name) {
  for (const EmbeddedFile& file : model_data()) {
    if (file.name == name) return parse_json(std::string{file.text}, "models/data/" + std::string{name});
  }
  throw Error{"models/data/" + std::string{name} + " is not in this build", {}, {}, ErrorKind::internal};
}

}  // namespace rackcast
