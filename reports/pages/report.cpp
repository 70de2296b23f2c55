#include "reports/pages/report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/blocks/readable.hpp"
#include "reports/pages/ask_again.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

/// One section: what it is called and the function that fills it. No blocks: the section is left out.
struct SectionKind {
  Layer layer;
  std::string_view id;
  std::string_view title;
  Blocks (*render)(const ResultDocument&);
};

// All sections in the order of the page. A new section is one function and one line.
constexpr auto kinds = std::to_array<SectionKind>({
    {Layer::decide, "decision", "Decision", decision_section},
    {Layer::understand, "odds", "Odds, nodes and cost", odds_section},
    {Layer::understand, "what-if", "What if", what_if_section},
    {Layer::understand, "performance", "Where the time goes, and scaling", performance_section},
    {Layer::understand, "split", "Split over the GPUs", split_section},
    {Layer::understand, "serving", "Serving", serving_section},
    {Layer::understand, "network", "Network", network_section},
    {Layer::understand, "racks", "Racks and floor", racks_section},
    {Layer::understand, "alternatives", "Alternatives", alternatives_section},
    {Layer::understand, "reasons", "Why, and what would change it", reasons_section},
    {Layer::understand, "sensitivity", "What the answer is sensitive to", sensitivity_section},
    {Layer::understand, "growth-plan", "Growth", growth_plan_section},
    {Layer::audit, "risks", "Risks", risks_section},
    {Layer::audit, "assumptions", "Assumptions", assumptions_section},
    {Layer::audit, "measured", "Your own measurements", measured_section},
    {Layer::audit, "evidence", "Nearest measured systems", evidence_section},
    {Layer::audit, "published", "Beside published numbers", published_section},
    {Layer::audit, "plan", "Search and limits", plan_section},
    {Layer::audit, "ladder", "From data to nodes", ladder_section},
    {Layer::audit, "input", "Input pipeline", input_pipeline_section},
    {Layer::audit, "growth", "Data in time", data_growth_section},
    {Layer::audit, "reliability", "Reliability and goodput", reliability_section},
    {Layer::audit, "power", "Power and cooling", power_section},
    {Layer::audit, "cost", "Cost", cost_section},
    {Layer::audit, "bill", "Bill of materials", bill_section},
    {Layer::audit, "method", "How the numbers come about", method_section},
    {Layer::audit, "reproduce", "How to reproduce", reproduce_section},
});

/// Moves the evidence behind a section out of its blocks.
Blocks take_details(Blocks& blocks) {
  const auto first =
      std::stable_partition(blocks.begin(), blocks.end(), [](const Block& b) { return !b.detail; });
  Blocks details{std::make_move_iterator(first), std::make_move_iterator(blocks.end())};
  blocks.erase(first, blocks.end());
  return details;
}

}  // namespace

Report build_report(const ResultDocument& document) {
  Report report;
  const auto& scenario = document.scenario;
  report.title = scenario.name.empty() ? "Sizing report" : scenario.name;
  report.subtitle = scenario.description;
  std::vector<Section> details;
  for (const SectionKind& kind : kinds) {
    Section section{std::string(kind.id), std::string(kind.title), kind.render(document), kind.layer};
    if (Blocks behind = take_details(section.blocks); !behind.empty())
      details.push_back(
          {section.id + "-details", section.title + ": details", std::move(behind), Layer::audit});
    if (!section.blocks.empty()) report.sections.push_back(std::move(section));
  }
  // Below the box of the decision, which stands first.
  if (Blocks again =
          ask_again({scenario.text, scenario.file,
                     document.kind == ResultDocument::Kind::size ? "size" : "simulate", document.command});
      !again.empty() && !report.sections.empty()) {
    Blocks& decision = report.sections.front().blocks;
    decision.insert(decision.begin() + 1, std::make_move_iterator(again.begin()),
                    std::make_move_iterator(again.end()));
  }
  // What is behind the sections stands ahead of how the numbers come about.
  const auto at = std::ranges::find(report.sections, "method", &Section::id);
  report.sections.insert(at, std::make_move_iterator(details.begin()),
                         std::make_move_iterator(details.end()));
  return readable(std::move(report));
}

}  // namespace rackcast::reports
