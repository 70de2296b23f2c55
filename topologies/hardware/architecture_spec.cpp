#include "topologies/hardware/architecture_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/base/near_matches.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {
namespace {

constexpr std::string_view kind_of_architectures = "architectures";

[[noreturn]] void fail_undescribed(const Catalog& catalog, std::string_view name) {
  std::vector<std::string> known;
  for (const std::string& id : catalog.ids(kind_of_architectures))
    known.push_back(catalog.find(kind_of_architectures, id).name);
  const std::string near = did_you_mean(name, known);
  throw Error{fmt::format("nobody described the GPU architecture \"{}\"\nknown: {}", name, name_list(known)),
              {},
              near.empty()
                  ? "describe it in a file architectures/NAME.json of a folder of your own (--catalog); "
                    "`rackcast schema architecture` prints the format"
                  : near};
}

std::string required_text(const SpecReader& reader, std::string_view key) {
  return reader.require(reader.text(key), key).value;
}

void read_optional(const CatalogEntry& entry, const SpecReader& reader, ArchitectureSpec& spec) {
  if (const auto slowdown = reader.number("statistics_slowdown")) spec.statistics_slowdown = slowdown->value;
  if (const auto slowdown = reader.number("borrowed_slowdown")) spec.borrowed_slowdown = slowdown->value;
  if (const Fact* cases = entry.find("fitted_on"))
    for (const Json& id : cases->value().array()) spec.fitted_on.push_back(id.string());
  if (const auto month = reader.text("first_container")) spec.first_container = month->value;
  if (const auto link = reader.text("server_socket_link")) spec.server_socket_link = link->value;
}

}  // namespace

ArchitectureSpec architecture_spec(const Catalog& catalog, std::string_view name) {
  for (const std::string& id : catalog.ids(kind_of_architectures)) {
    const CatalogEntry& entry = catalog.find(kind_of_architectures, id);
    if (entry.name != name) continue;
    const SpecReader reader{entry};
    ArchitectureSpec spec;
    spec.id = entry.id;
    spec.name = entry.name;
    spec.vendor = entry.attribute("vendor");
    spec.generation = reader.require(reader.count("generation", 0, 1000), "generation").value;
    if (const auto capability = reader.number("compute_capability"))
      spec.compute_capability = capability->value;
    spec.collective_library = required_text(reader, "collective_library");
    if (const auto release = reader.text("collective_release")) spec.collective_release = release->value;
    if (spec.collective_library == "nccl") {
      (void)required_text(reader, "collective_release");
      if (spec.compute_capability <= 0) (void)entry.require("compute_capability");
    }
    spec.failure_era = required_text(reader, "failure_era");
    spec.replacement_era = required_text(reader, "replacement_era");
    spec.jpeg_engine = required_text(reader, "jpeg_engine");
    spec.oldest_cudnn = required_text(reader, "oldest_cudnn");
    spec.own_attention_instructions = required_text(reader, "attention_instructions") == "own";
    read_optional(entry, reader, spec);
    return spec;
  }
  fail_undescribed(catalog, name);
}

const ArchitectureSpec* builtin_architecture(std::string_view name) {
  static const std::vector<ArchitectureSpec> all = [] {
    const Catalog catalog = Catalog::builtin();
    std::vector<ArchitectureSpec> out;
    for (const std::string& id : catalog.ids(kind_of_architectures))
      out.push_back(architecture_spec(catalog, catalog.find(kind_of_architectures, id).name));
    return out;
  }();
  const auto found = std::ranges::find(all, name, &ArchitectureSpec::name);
  return found == all.end() ? nullptr : &*found;
}

int architecture_distance(const ArchitectureSpec& a, const ArchitectureSpec& b) {
  constexpr int other_maker = 4;  // about half of NVIDIA's line from Kepler to Blackwell: nothing is known
  return a.vendor == b.vendor ? std::abs(a.generation - b.generation) : other_maker;
}

}  // namespace rackcast
