#include "scenarios/names/own_file.hpp"

#include <filesystem>

#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog_file.hpp"

namespace rackcast {

std::string name_or_file(const Json& json) {
  const std::string& name = json.string();
  if (!is_catalog_file(name) || std::filesystem::path{name}.is_absolute()) return name;
  const std::string file = json.where().file;
  if (file.starts_with("--")) return name;
  return (std::filesystem::path{file}.parent_path() / name).string();
}

}  // namespace rackcast
