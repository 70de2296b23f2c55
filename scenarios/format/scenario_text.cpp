/// The text of a scenario: "extends" and --set.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scenarios/format/scenario.hpp"

namespace rackcast {

namespace {

/// The scenario within a document of `rackcast import`; the whole of another file.
Json scenario_of_document(const Json& json) {
  const Json* format = json.kind() == JsonKind::object ? json.find("format") : nullptr;
  if (!format || format->kind() != JsonKind::string || format->string() != "rackcast-import") return json;
  if (const Json& version = json.require("version"); version.integer() != 1)
    version.fail("this build reads version 1 of the format");
  if (const Json* scenario = json.find("scenario")) return *scenario;
  json.require("kind").fail(
      "this import holds no scenario",
      "megatron-args and deepspeed hold one, slurm-nodes where it finds nodes with GPUs");
}

/// Follows "extends": the file named there is the base, this one is laid over it.
Json resolve_extends(const Json& json, const std::filesystem::path& file,
                     std::vector<std::filesystem::path>& chain) {
  if (json.kind() != JsonKind::object) json.fail("a scenario is a JSON object", "start the file with {");
  const Json* extends = json.find("extends");
  if (!extends) return json;
  const auto path = file.parent_path() / extends->string();
  const auto base = std::filesystem::weakly_canonical(path);
  if (std::find(chain.begin(), chain.end(), base) != chain.end()) {
    extends->fail(fmt::format("\"extends\" goes in a circle: {} is already being read", extends->string()),
                  "name a file that does not extend this one, or leave \"extends\" out");
  }
  if (chain.size() >= 16) extends->fail("\"extends\" is more than 16 files deep");
  chain.push_back(base);
  Json parent;
  try {
    parent = scenario_of_document(parse_json_file(path.lexically_normal().string()));
  } catch (const Error& e) {
    if (!e.where().line) extends->fail(e.message(), e.hint());  // the file could not be opened: point here
    throw;
  }
  Json merged = resolve_extends(parent, path, chain).merged(json.without("extends"));
  chain.pop_back();
  return merged;
}

/// "a.b=value": the value is JSON if it parses as JSON, else a string ("14 days" needs no quotes).
Json apply_set(const Json& json, const std::string& set) {
  const auto equals = set.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error{fmt::format("--set {}: expected path=value", set),
                {},
                "for example --set goal.deadline=\"21 days\"",
                ErrorKind::usage};
  }
  const std::string name = "--set " + set;
  const std::string value = set.substr(equals + 1);
  Json parsed;
  try {
    parsed = parse_json(value, name);
  } catch (const Error&) {
    std::string quoted = "\"";
    for (const char c : value) {
      if (static_cast<unsigned char>(c) < 0x20) throw Error{name + ": control character in the value"};
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    parsed = parse_json(quoted + '"', name);
  }
  return json.with(set.substr(0, equals), parsed);
}

Json whole_text(const Json& written, const std::string& path, const std::vector<std::string>& sets) {
  std::vector<std::filesystem::path> chain{std::filesystem::weakly_canonical(path)};
  Json json = resolve_extends(written, path, chain);
  for (const std::string& set : sets) json = apply_set(json, set);
  return json;
}

}  // namespace

Json load_scenario_text(const std::string& path, const std::vector<std::string>& sets) {
  return whole_text(scenario_of_document(parse_json_file(path)), path, sets);
}

Json read_scenario_text(std::string text, const std::string& name, const std::vector<std::string>& sets) {
  return whole_text(scenario_of_document(parse_json(std::move(text), name)), name, sets);
}

bool serves(const Json& text) {
  return text.kind() == JsonKind::object && text.find("serving") != nullptr;
}

}  // namespace rackcast
