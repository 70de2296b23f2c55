#include "models/networks/workload.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "models/networks/predicts_ahead.hpp"
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

/// A name without what people write one way or another: "ResNet-50" and "resnet_50" are "resnet50". Dots
/// stay: they tell 1.1 billion from 11. ASCII alone, so that no locale matters.
std::string folded_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

using FilesByAlias = std::map<std::string, const EmbeddedFile*, std::less<>>;

/// By folded name and alias. Part of the program: made once.
const FilesByAlias& files_by_alias() {
  static const FilesByAlias files = [] {
    FilesByAlias all;
    for (const EmbeddedFile& file : model_data()) {
      if (workload_name(file.name).empty()) continue;
      all.emplace(folded_name(workload_name(file.name)), &file);
      for (const std::string& alias : aliases(parse(file))) all.emplace(folded_name(alias), &file);
    }
    return all;
  }();
  return files;
}

const EmbeddedFile* find_by_alias(std::string_view name) {
  const auto found = files_by_alias().find(folded_name(name));
  return found == files_by_alias().end() ? nullptr : found->second;
}

/// A name of a network, with or without the organisation that published it ("meta-llama/Llama-3.1-70B").
const EmbeddedFile* find_network(std::string_view name) {
  if (const EmbeddedFile* file = find_by_name(name)) return file;
  return name.ends_with(suffix) ? nullptr : find_by_alias(name);
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
  std::vector<std::string> known = known_names();
  for (const WorkloadSummary& summary : workload_list())
    known.insert(known.end(), summary.aliases.begin(), summary.aliases.end());
  const auto near = near_matches(name, known);
  return near.empty() ? "`rackcast catalog list models` names those that come with the program"
                      : "did you mean " + list_of(near) + "?";
}

/// Part of the program: parsed once.
const Json& parsed_network_schema() {
  static const Json schema = parse_json(std::string(network_schema()), "network.schema.json");
  return schema;
}

/// `file` laid over what it extends. Aliases, notes, published counts and further predictions describe the
/// weights of one network, so they are not inherited.
Json with_base(const Json& file, int depth = 0) {
  const Json* base_name = file.find("extends");
  if (!base_name) return file;
  if (depth >= max_extends) base_name->fail("too long a chain of \"extends\"");
  const EmbeddedFile* base = find_by_name(base_name->string());
  if (!base)
    base_name->fail("no workload is called \"" + base_name->string() + "\"",
                    unknown_hint(base_name->string()));
  Json under = with_base(parse(*base), depth + 1);
  for (const std::string_view key : {"aliases", "notes", "published", "predicts_ahead"}) {
    if (under.find(key)) under = under.without(key);
  }
  return under.merged(file.without("extends"));
}

/// The network within a document of `rackcast import`; the whole of another file.
Json network_of_document(const Json& json) {
  const Json* format = json.kind() == JsonKind::object ? json.find("format") : nullptr;
  if (!format || format->kind() != JsonKind::string || format->string() != "rackcast-import") return json;
  if (const Json& version = json.require("version"); version.integer() != 1)
    version.fail("this build reads version 1 of the format");
  if (const Json* network = json.find("network")) return *network;
  json.require("kind").fail("an import of this kind holds no network",
                            "hf-config, onnx and torch-fx hold one");
}

}  // namespace

Workload read_workload(const Json& file, std::string name, const WorkloadOptions& options) {
  WorkloadReader reader(options);
  Workload workload = reader.read(with_base(file));
  workload.name = std::move(name);
  return workload;
}

std::optional<std::string> find_workload(std::string_view name) {
  const EmbeddedFile* file = find_network(name);
  if (file == nullptr) return std::nullopt;
  return std::string(workload_name(file->name));
}

namespace {

void check_own(const Json& own) {
  require_schema(with_base(own), parsed_network_schema(),
                 "`rackcast schema network` prints the format; `rackcast init network` writes an example");
}

}  // namespace

Workload own_network(const Json& json, const WorkloadOptions& options) {
  check_own(json);
  return read_workload(json, json.require("title").string(), options);
}

Workload load_workload(std::string_view name_or_path, const WorkloadOptions& options) {
  const EmbeddedFile* file = find_network(name_or_path);
  if (file == nullptr && is_path(name_or_path)) {
    std::string_view stem = name_or_path.substr(name_or_path.find_last_of('/') + 1);
    if (stem.ends_with(suffix)) stem.remove_suffix(suffix.size());
    const Json own = network_of_document(parse_json_file(std::string(name_or_path)));
    check_own(own);
    return read_workload(own, std::string(stem), options);
  }
  if (!file) {
    throw Error{
        "no workload is called \"" + std::string(name_or_path) + "\"", {}, unknown_hint(name_or_path)};
  }
  return read_workload(parse(*file), std::string(workload_name(file->name)), options);
}

bool predicts_ahead(std::string_view name_or_path) {
  const EmbeddedFile* file = find_network(name_or_path);
  const Json own = file ? parse(*file) : network_of_document(parse_json_file(std::string(name_or_path)));
  const Json* said = own.find("predicts_ahead");
  return said && said->boolean();
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
