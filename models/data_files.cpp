#include "models/data_files.hpp"

#include <map>
#include <mutex>
#include <span>
#include <string>

#include "sim/base/embedded.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

std::span<const EmbeddedFile> model_data();

std::string model_data_text(std::string_view name) {
  for (const EmbeddedFile& file : model_data())
    if (file.name == name) return std::string{file.text};
  throw Error{"models/data/" + std::string{name} + " is not in this build", {}, {}, ErrorKind::internal};
}

Json parse_model_data(std::string_view name) {
  // The files are part of the program and never change: each is parsed once. A planner asks for some of them
  // thousands of times.
  static std::mutex mutex;
  static std::map<std::string, Json, std::less<>> parsed;
  const std::lock_guard lock{mutex};
  if (const auto it = parsed.find(name); it != parsed.end()) return it->second;
  Json json = parse_json(model_data_text(name), "models/data/" + std::string{name});
  return parsed.emplace(name, std::move(json)).first->second;
}

}  // namespace rackcast
