#include "scenarios/document/form/schema.hpp"

#include <algorithm>

namespace rackcast::doc {

using Schema = nlohmann::ordered_json;

Schema Definitions::or_null(Schema schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
    return schema;
  }
  if (schema.empty()) return schema;
  if (!schema.contains("type")) return {{"anyOf", Schema::array({schema, {{"type", "null"}}})}};
  schema["type"] = Schema::array({schema["type"], "null"});
  return schema;
}

Schema Definitions::number_schema(bool whole, const Rule& rule) {
  Schema out = {{"type", whole ? "integer" : "number"}};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (rule.least == std::numeric_limits<double>::min())
    out["exclusiveMinimum"] = 0;
  else if (rule.least > -infinity)
    out["minimum"] = rule.least;
  if (rule.most < infinity)
    out["maximum"] = rule.most == 1 ? 1 + 1e-9 : rule.most;  // sums of shares may pass 1 by rounding
  return out;
}

Schema Definitions::text_schema(const Rule& rule) {
  if (rule.words.empty()) return {{"type", "string"}};
  Schema words = Schema::array();
  for (std::string_view rest = rule.words; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    words.push_back(one);
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return {{"enum", words}};
}

Schema Definitions::boolean_schema() {
  return {{"type", "boolean"}};
}

Schema Definitions::list_of(Schema schema) {
  return {{"type", "array"}, {"items", std::move(schema)}};
}

Schema Definitions::reference_to(std::string_view name) {
  return {{"$ref", "#/definitions/" + std::string{name}}};
}

Schema Definitions::empty_object() {
  return {{"type", "object"}, {"required", Schema::array()}, {"properties", Schema::object()}};
}

void Definitions::take_in(Definition& definition, std::string_view name, bool always) const {
  const Definition& other = definitions_[places_.at(std::string{name})];
  definition.schema["properties"].update(other.schema["properties"]);
  for (const auto& key : other.schema["required"])
    if (always) definition.schema["required"].push_back(key);
  for (ReferenceRow row : other.rows) {
    row.always = row.always && always;
    definition.rows.push_back(std::move(row));
  }
}

Schema Definitions::schema(const std::string& title) const {
  Schema out = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  out["description"] = definitions_.front().meaning;
  out.update(definitions_.front().schema);
  for (std::size_t i = 1; i < definitions_.size(); ++i) {
    Schema& one = out["definitions"][definitions_[i].name];
    if (!definitions_[i].meaning.empty()) one["description"] = definitions_[i].meaning;
    one.update(definitions_[i].schema);
  }
  return out;
}

std::string Definitions::reference() const {
  std::string out;
  for (const Definition& one : definitions_) {
    out += "## " + one.name + "\n\n";
    if (!one.meaning.empty()) out += one.meaning + "\n\n";
    out += "| key | type | unit | meaning |\n|---|---|---|---|\n";
    for (const ReferenceRow& row : one.rows) {
      std::string meaning = row.meaning;
      for (std::size_t at = 0; (at = meaning.find('|', at)) != std::string::npos; at += 2)
        meaning.insert(at, "\\");
      out += "| `" + row.key + "` | " + row.type + (row.always ? "" : ", may be absent") + " | " + row.unit +
             " | " + meaning + " |\n";
    }
    out += "\n";
  }
  return out;
}

void Definitions::describe(Definition& definition, std::string_view key, std::string type, std::string unit,
                           std::string_view meaning, bool always) {
  definition.rows.push_back(
      {std::string{key}, std::move(type), std::move(unit), std::string{meaning}, always});
}

void Definitions::put(Definition& definition, std::string_view path, Schema schema, std::string_view meaning,
                      bool required) {
  Schema* object = &definition.schema;
  const auto require = [required](Schema& one, std::string_view key) {
    Schema& keys = one["required"];
    if (required && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    require(*object, path.substr(0, dot));
    object = &(*object)["properties"][std::string{path.substr(0, dot)}];
    if (object->is_null()) *object = empty_object();
    path.remove_prefix(dot + 1);
  }
  if (!meaning.empty()) {
    if (schema.contains("$ref")) schema = {{"allOf", Schema::array({schema})}};
    schema["description"] = meaning;
  }
  require(*object, path);
  (*object)["properties"][std::string{path}] = std::move(schema);
}

}  // namespace rackcast::doc
