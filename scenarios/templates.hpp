#pragma once
/// The texts that `rackcast init` and `rackcast schema` print; the files are in scenarios/data and
/// scenarios/schema and travel inside the program.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

struct Template {
  std::string_view question;  ///< "nodes"
  std::string_view help;      ///< "How many nodes do I need?"
};

std::vector<Template> templates();
/// Throws Error with the known questions.
std::string_view template_text(std::string_view question);

/// The draft-07 JSON schema of "scenario" or "result". Throws Error with the known names.
std::string_view schema_text(std::string_view name);

}  // namespace rackcast
