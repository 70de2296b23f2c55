#include "topologies/catalog/catalog_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <span>

#include "sim/base/embedded.hpp"
#include "sim/json/schema.hpp"
#include "topologies/catalog/catalog_file.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/hardware/architecture_spec.hpp"
#include "topologies/hardware/gpu_spec.hpp"
#include "topologies/hardware/link_spec.hpp"
#include "topologies/hardware/node_spec.hpp"
#include "topologies/hardware/switch_spec.hpp"

namespace rackcast {

std::span<const EmbeddedFile> catalog_schemas();  // written by rackcast_embed

namespace {

constexpr std::string_view schema_ending = ".schema.json";

struct SchemaOfKind {
  std::string_view kind, schema;
};
constexpr std::array schemas_of_kinds{
    SchemaOfKind{"gpus", "gpu"},         SchemaOfKind{"nodes", "node"},
    SchemaOfKind{"clusters", "cluster"}, SchemaOfKind{"switches", "switch"},
    SchemaOfKind{"links", "link"},       SchemaOfKind{"architectures", "architecture"}};

/// Schemas are part of the program: each is parsed once.
Json parsed_schema(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Json, std::less<>> parsed;
  const std::lock_guard lock{mutex};
  if (const auto it = parsed.find(name); it != parsed.end()) return it->second;
  Json json = parse_json(std::string{catalog_schema(name)}, std::string{name} + std::string{schema_ending});
  return parsed.emplace(name, std::move(json)).first->second;
}

}  // namespace

std::string_view schema_of_kind(std::string_view kind) {
  const auto found = std::ranges::find(schemas_of_kinds, kind, &SchemaOfKind::kind);
  return found == schemas_of_kinds.end() ? "entry" : found->schema;
}

std::string_view catalog_schema(std::string_view name) {
  for (const EmbeddedFile& file : catalog_schemas()) {
    if (file.name == fmt::format("{}{}", name, schema_ending)) return file.text;
  }
  return {};
}

std::vector<std::string> catalog_schema_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : catalog_schemas())
    names.emplace_back(file.name.substr(0, file.name.size() - schema_ending.size()));
  return names;
}

std::string_view kind_of_document(const Json& json) {
  std::string_view found;
  for (const SchemaOfKind& one : schemas_of_kinds) {
    if (!meets_schema(json, parsed_schema(one.schema))) continue;
    if (!found.empty()) return {};
    found = one.kind;
  }
  return found;
}

void check_catalog_document(std::string_view kind, std::string_view id, const Json& json) {
  const std::string_view schema = schema_of_kind(kind);
  require_schema(json, parsed_schema(schema),
                 fmt::format("`rackcast schema {}` prints the format of the files of {}", schema, kind));
  if (kind == "links") check_link_family(id, json);
}

namespace {

/// An error without a place gets that of `json`.
template <class Read>
void read_at(const Json& json, Read read) {
  try {
    read();
  } catch (const Error& e) {
    if (!e.where().file.empty()) throw;
    throw Error{e.message(), json.where(), e.hint(), e.kind()};
  }
}

}  // namespace

void read_catalog_entry(const Catalog& catalog, std::string_view kind, const std::string& id) {
  const CatalogEntry& entry = catalog.find(kind, id);
  if (kind == "nodes") {
    const Json& gpu = entry.json.require("gpu_id");
    if (gpu.is_null()) return;  // a template has no GPU until a scenario names one
    if (!is_catalog_file(gpu.string())) read_at(gpu, [&] { (void)gpu_spec(catalog, gpu.string()); });
  }
  if (kind == "clusters") {
    const Json& node = entry.json.require("node_id");
    read_at(node, [&] { (void)catalog.find("nodes", node.string()); });
  }
  read_at(entry.json, [&] {
    if (kind == "architectures") (void)architecture_spec(catalog, entry.name);
    if (kind == "gpus") (void)gpu_spec(catalog, id);
    if (kind == "switches") (void)switch_spec(catalog, id);
    if (kind == "clusters") (void)cluster_of(catalog, id);
    if (kind == "nodes") (void)node_spec(catalog, id);
  });
}

}  // namespace rackcast
