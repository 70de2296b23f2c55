#pragma once
/// The texts that `rackcast init` and `rackcast schema` print; the files are in scenarios/data,
/// scenarios/schema, topologies/schema and models/schema and travel inside the program. Those of results and
/// campaigns follow from scenarios/document.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

struct Template {
  std::string_view question;  ///< "nodes"; of a part: "gpu"
  std::string_view help;      ///< "How many nodes do I need?"
};

/// Scenarios, by the question that they ask.
std::vector<Template> templates();
/// Networks and hardware of one's own.
std::vector<Template> part_templates();
/// The text of either. Throws Error with the known names.
std::string_view template_text(std::string_view name);

struct Schema {
  std::string name;  ///< "scenario", "gpu"
  std::string text;
};
/// The draft-07 JSON schemas of scenarios, results, campaigns, networks and entries of the catalogue.
std::vector<Schema> schemas();
/// One of them. Throws Error with the known names.
std::string schema_text(std::string_view name);
/// Every key of a document with its type, unit and meaning, as Markdown. Throws Error with the known names.
std::string reference_text(std::string_view name);

}  // namespace rackcast
