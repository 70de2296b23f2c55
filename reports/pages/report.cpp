#include "reports/pages/report.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "reports/blocks/readable.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

/// One section: what it is called and the function that fills it. No blocks: the section is left out.
struct SectionKind {
  std::string_view id;
  std::string_view title;
  Blocks (*render)(const ResultDocument&);
};

// All sections in the order of the page. A new section is one function and one line.
constexpr auto kinds = std::to_array<SectionKind>({
    {"decision", "Decision", decision_section},
    {"reasons", "Why, and what would change it", reasons_section},
    {"what-if", "What if", what_if_section},
    {"plan", "Search and limits", plan_section},
    {"alternatives", "Alternatives", alternatives_section},
    {"serving", "Serving", serving_section},
    {"ladder", "From data to nodes", ladder_section},
    {"measured", "Your own measurements", measured_section},
    {"performance", "Performance", performance_section},
    {"published", "Beside published numbers", published_section},
    {"input", "Input pipeline", input_pipeline_section},
    {"racks", "Racks and floor", racks_section},
    {"power", "Power and cooling", power_section},
    {"network", "Network", network_section},
    {"growth", "Data in time", data_growth_section},
    {"reliability", "Reliability and goodput", reliability_section},
    {"cost", "Cost", cost_section},
    {"sensitivity", "What the answer is sensitive to", sensitivity_section},
    {"growth-plan", "Growth plan", growth_plan_section},
    {"risks", "Risks", risks_section},
    {"assumptions", "Assumptions", assumptions_section},
    {"bill", "Bill of materials", bill_section},
    {"method", "How the numbers come about", method_section},
    {"reproduce", "How to reproduce", reproduce_section},
});

}  // namespace

Report build_report(const ResultDocument& document) {
  Report report;
  const auto& scenario = document.scenario;
  report.title = scenario.name.empty() ? "Sizing report" : scenario.name;
  report.subtitle = scenario.description;
  for (const SectionKind& kind : kinds) {
    Blocks blocks = kind.render(document);
    if (!blocks.empty()) {
      report.sections.push_back({std::string(kind.id), std::string(kind.title), std::move(blocks)});
    }
  }
  return readable(std::move(report));
}

Report decide_layer(const Report& report) {
  Report out{report.title, report.subtitle, {}};
  if (!report.sections.empty()) out.sections.push_back(report.sections.front());
  return out;
}

std::string render_text(const ResultDocument& document, const TextOptions& options) {
  return write_text(build_report(document), options);
}

std::string render_markdown(const ResultDocument& document) {
  return write_markdown(build_report(document));
}

std::string render_html(const ResultDocument& document) {
  return write_html(build_report(document));
}

}  // namespace rackcast::reports
