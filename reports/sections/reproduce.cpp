/// What it takes to get the same bytes again.
#include "reports/sections/sections.hpp"

namespace rackcast::reports {

Blocks reproduce_section(const ResultDocument& document) {
  Blocks blocks;
  if (!document.command.empty()) {
    blocks.push_back({Code{"", document.command}});
  }
  KeyValues facts;
  const auto add = [&](std::string label, const std::string& value) {
    if (!value.empty()) {
      facts.rows.push_back({std::move(label), value, {}});
    }
  };
  const std::string commit = document.commit.empty() ? "" : " (" + document.commit + ")";
  add("Program", document.program.empty() ? "" : document.program + " " + document.version + commit);
  add("Scenario", document.scenario.file);
  add("Seed", document.scenario.seed);
  if (!facts.rows.empty()) {
    blocks.push_back({facts, Audience::document});
  }
  if (!document.scenario.text.empty()) {
    blocks.push_back(
        {Code{"The scenario with everything it extends", document.scenario.text, true}, Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
