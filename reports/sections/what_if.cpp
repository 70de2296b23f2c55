/// What the reader may vary on the page, over the answers that the engine computed.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

std::string label_of(const std::string& path) {
  if (path == "goal.deadline") return "Deadline";
  if (path == "cluster.node") return "Node type";
  if (path == "site.power.feed") return "Feed of the site";
  if (path == "site.prices.budget") return "Budget to buy";
  return path;
}

/// Node types by the titles that the rest of the report gives them.
std::string name_of(const ResultDocument& document, const std::string& node) {
  if (node == document.answer.node) return node_name(document.answer);
  for (const WorkloadResult& workload : document.asked()) {
    const auto at = std::ranges::find(workload.alternatives, node, &Alternative::node);
    if (at != workload.alternatives.end() && !at->title.empty()) return at->title;
  }
  return node;
}

WhatIf::Outcome outcome(const Plan::WhatIf::Outcome& computed) {
  if (!computed.answer) {
    std::string limits;
    for (const std::string& limit : computed.conflict)
      limits += (limits.empty() ? "" : ", ") + limit_title(limit);
    const bool one = computed.conflict.size() == 1;
    return {
        "No configuration within the limits",
        {limits.empty() ? std::string{} : (one ? "It cannot keep: " : "It cannot keep together: ") + limits},
        Tone::bad};
  }
  const PlanCandidate& c = *computed.answer;
  WhatIf::Outcome out{fmt::format("{} × {}", nodes_text(c.nodes, c.spares), c.node_title), {}};
  if (computed.probability) {
    out.tone = odds_tone(*computed.probability);
    out.facts.push_back(odds_text(*computed.probability) + " odds of meeting the deadline");
  }
  if (c.time_s) out.facts.push_back("Time to train: " + duration_text(*c.time_s));
  if (c.capex_usd)
    out.facts.push_back("Purchase: " + sum_text(to_text(Money{*c.capex_usd}), c.purchase_is_open()));
  if (c.nameplate_w)
    out.facts.push_back("Power: " +
                        sum_text(to_text(Power{*c.nameplate_w}) + " nameplate", c.energy_is_open()));
  return out;
}

}  // namespace

Blocks what_if_section(const ResultDocument& document) {
  if (!document.plan || !document.plan->what_if) return {};
  const Plan::WhatIf& computed = *document.plan->what_if;
  WhatIf what_if;
  for (const auto& input : computed.inputs) {
    WhatIf::Input& to = what_if.inputs.emplace_back(WhatIf::Input{
        label_of(input.path), input.path, input.values, {}, static_cast<std::size_t>(input.asked)});
    if (input.path != "cluster.node") continue;
    for (const std::string& node : input.values) to.names.push_back(name_of(document, node));
  }
  for (const auto& one : computed.outcomes) what_if.outcomes.push_back(outcome(one));
  return {{std::move(what_if), Audience::document}};
}

}  // namespace rackcast::reports
