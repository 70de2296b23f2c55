/// Which formula is behind which number.
#include "reports/sections/sections.hpp"

namespace rackcast::reports {

Blocks method_section(const ResultDocument& document) {
  if (document.method.empty()) return {};
  Table table{"Number, formula, source", {{"Number"}, {"How"}, {"Source"}}, {}};
  for (const MethodStep& step : document.method) {
    const auto cell = [](const std::string& text) {
      return Cell{text, std::nullopt, {}, Tone::plain};
    };
    table.rows.push_back({cell(step.quantity), cell(step.formula), cell(step.source)});
  }
  return {{table, Audience::document}};
}

}  // namespace rackcast::reports
