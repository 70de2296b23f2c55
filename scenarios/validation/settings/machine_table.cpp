#include "scenarios/validation/settings/machine_table.hpp"

#include <algorithm>

#include "models/data_files.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {
namespace {

/// Part of the program: parsed once.
const Json& table() {
  static const Json file = parse_model_data("benchmarks/servers.json");
  return file;
}

}  // namespace

const Json* machine_in(std::string_view note) {
  for (const Json& machine : table().require("machines").array())
    if (note.find(machine.require("words").string()) != std::string_view::npos) return &machine;
  return nullptr;
}

const Json* machine_with(const std::string& wiring, std::string_view gpu) {
  const Json* machines = table().require("wirings").find(wiring);
  if (!machines) return nullptr;
  for (const Json& machine : machines->array())
    if (gpu.starts_with(machine.require("gpu").string())) return &machine;
  return nullptr;
}

bool knows_gpu_links(const ValidationCase& c) {
  const auto is_of = [&c](const Json& library) {
    const auto& versions = library.require("versions").array();
    return library.require("framework").string() == c.workload.framework &&
           library.require("gradient_sync").string() == c.workload.gradient_sync &&
           std::ranges::any_of(versions, [&c](const Json& version) {
             return c.workload.framework_version.starts_with(version.string());
           });
  };
  for (const Json& library : table().require("libraries").array())
    if (is_of(library)) return library.require("gpu_links").boolean();
  return true;
}

}  // namespace rackcast
