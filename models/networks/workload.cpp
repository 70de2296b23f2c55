#include "models/networks/workload.hpp"

#include <algorithm>
#include <span>

#include "models/networks/workload_reader.hpp"
#include "sim/base/embedded.hpp"
#include "sim/base/error.hpp"
#include "sim/json/schema.hpp"

namespace rackcast {

std::span<const EmbeddedFile> model_data();
std::span<const EmbeddedFile> model_schemas();

std::string_view network_schema() {
  return model_schemas().front().text;
}

namespace {

constexpr std::string_view folder = "workloads/";
constexpr std::string_view suffix = ".json";
constexpr int max_extends = 8;

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(suffix);
}

/// "workloads/resnet50.json" is "resnet50"; other files are "".
std::string_view workload_name(std::string_view file) {
  if (!file.starts_with(folder) || !file.ends_with(suffix)) return {};
  return file.substr(folder.size(), file.size() - folder.size() - suffix.size());
}

Json parse(const EmbeddedFile& file) {
  return parse_json(std::string(file.text), "models/data/" + std::string(file.name));
}

std::vector<std::string> aliases(const Json& file) {
  std::vector<std::string> all;
  if (const Json* list = file.find("aliases")) {
    for (const Json& name : list->array()) all.push_back(name.string());
  }
  return all;
}

const EmbeddedFile* find_by_name(std::string_view name) {
  for (const EmbeddedFile& file : model_data()) {
    if (!workload_name(file.name).empty() && workload_name(file.name) == name) return &file;
  }
  return nullptr;
}

const EmbeddedFile* find_by_alias(std::string_view name) {
  for (const EmbeddedFile& file : model_data()) {
    if (workload_name(file.name).empty()) continue;
    const auto all = aliases(parse(file));
    if (std::find(all.begin(), all.end(), name) != all.end()) return &file;
  }
  return nullptr;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : model_data()) {
    if (!workload_name(file.name).empty()) names.emplace_back(workload_name(file.name));
  }
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string unknown_hint(std::string_view name) {
  const auto near = near_matches(name, known_names());
  return near.empty() ? "known: " + list_of(known_names()) : "did you mean " + list_of(near) + "?";
}

/// Part of the program: parsed once.
const Json& parsed_network_schema() {
  static const Json schema = parse_json(std::string(network_schema()), "network.schema.json");
  return schema;
}

/// `file` laid over what it extends. Aliases, notes and published counts describe one network, so they are
/// not inherited.
Json with_base(const Json& file, int depth = 0) {
  const Json* base_name = file.find("extends");
  if (!base_name) return file;
  if (depth >= max_extends) base_name->fail("too long a chain of \"extends\"");
  const EmbeddedFile* base = find_by_name(base_name->string());
  if (!base)
    base_name->fail("no workload is called \"" + base_name->string() + "\"",
                    unknown_hint(base_name->string()));
  Json under = with_base(parse(*base), depth + 1);
  for (const std::string_view key : {"aliases", "notes", "published"}) {
    if (under.find(key)) under = under.without(key);
  }
  return under.merged(file.without("extends"));
}

}  // namespace

Workload read_workload(const Json& file, std::string name, const WorkloadOptions& options) {
  WorkloadReader reader(options);
  Workload workload = reader.read(with_base(file));
  workload.name = std::move(name);
  return workload;
}

Workload load_workload(std::string_view name_or_path, const WorkloadOptions& options) {
  if (is_path(name_or_path)) {
    std::string_view stem = name_or_path.substr(name_or_path.find_last_of('/') + 1);
    if (stem.ends_with(suffix)) stem.remove_suffix(suffix.size());
    const Json file = parse_json_file(std::string(name_or_path));
    require_schema(with_base(file), parsed_network_schema(),
                   "`rackcast schema network` prints the format; `rackcast init network` writes an example");
    return read_workload(file, std::string(stem), options);
  }
  const EmbeddedFile* file = find_by_name(name_or_path);
  if (!file) file = find_by_alias(name_or_path);
  if (!file) {
    throw Error{
        "no workload is called \"" + std::string(name_or_path) + "\"", {}, unknown_hint(name_or_path)};
  }
  return read_workload(parse(*file), std::string(workload_name(file->name)), options);
}

std::vector<WorkloadSummary> workload_list() {
  std::vector<WorkloadSummary> list;
  for (const EmbeddedFile& embedded : model_data()) {
    if (workload_name(embedded.name).empty()) continue;
    const Json own = parse(embedded);
    const Json file = with_base(own);
    list.push_back({std::string(workload_name(embedded.name)), file.require("title").string(),
                    file.require("task").string(), aliases(own)});
  }
  return list;
}

std::vector<LayerRow> layer_table(const Workload& workload) {
  std::vector<LayerRow> rows;
  rows.reserve(workload.operators.size());
  for (const Operator& op : workload.operators) {
    rows.push_back({op.name, op.kind, op.output, op.parameters, op.forward_flop});
  }
  return rows;
}

}  // namespace rackcast
