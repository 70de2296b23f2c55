#include "scenarios/answer/what_if.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/run_control.hpp"
#include "scenarios/plan/design.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/plan/plan_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

using Input = doc::Plan::WhatIf::Input;
using Outcome = doc::Plan::WhatIf::Outcome;

/// Searches are repeated at each point: one over more designs and variants than these is not.
constexpr std::size_t kMostChoices = 4;
constexpr std::size_t kMostPoints = 45;  ///< of the grid; the inputs named last are left out of a larger one
constexpr std::array kDeadlines{0.5, 0.75, 1.0, 1.5, 2.0};
constexpr std::array kLimits{0.75, 1.0, 1.5};

/// The text at a dotted path; null where there is none.
const std::string* text_at(const Json& text, std::string_view path) {
  const Json* at = &text;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    at = at->kind() == JsonKind::object ? at->find(path.substr(0, end)) : nullptr;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at != nullptr && at->kind() == JsonKind::string ? &at->string() : nullptr;
}

/// Multiples of a quantity that the scenario states, written as people would.
template <class Q, std::size_t N>
void add_quantity(std::vector<Input>& inputs, const Json& text, std::string path,
                  const std::array<double, N>& factors) {
  const std::string* stated = text_at(text, path);
  if (stated == nullptr) return;
  Input input{std::move(path), {}};
  for (const double factor : factors) {
    if (factor == 1) input.asked = std::ssize(input.values);
    input.values.push_back(factor == 1 ? *stated : to_text(factor * parse_quantity<Q>(*stated)));
  }
  inputs.push_back(std::move(input));
}

/// The node type as asked and those that the goal names beside it.
void add_node_types(std::vector<Input>& inputs, const Scenario& s) {
  const std::string* stated = text_at(s.text, "cluster.node");
  if (stated == nullptr || !s.search.node.empty() || !s.cluster.gpu.empty() || s.goal->alternatives.empty())
    return;
  Input input{"cluster.node", {*stated}};
  for (const std::string& other : s.goal->alternatives)
    if (std::ranges::find(input.values, other) == input.values.end()) input.values.push_back(other);
  inputs.push_back(std::move(input));
}

Outcome outcome(Evaluator& evaluator, const Scenario& s, const RunControl& control) {
  PlanSearch search{evaluator, s, control};
  search.explore();
  Outcome out;
  const auto best = search.best(PerLimit{1});
  if (!best) {
    search.explore_beyond();
    for (const Limit limit : limits_of(smallest_conflict(search.conflicts())))
      out.conflict.emplace_back(to_string(limit));
    return out;
  }
  out.answer = plan_candidate(evaluator, s, search.space(), *best);
  const Scenario chosen = with_choice(s, search.space(), best->design, best->size, best->variants);
  out.probability = chance_within(evaluator, questions(chosen), s.goal->deadline, best->nodes);
  return out;
}

/// Does another deadline, feed or budget move the limit? To drop one limit of a smallest conflict is enough.
bool can_move(const std::string& limit) {
  constexpr std::array limits{Limit::deadline, Limit::site_power, Limit::budget};
  return std::ranges::any_of(limits, [&limit](Limit l) { return to_string(l) == limit; });
}

}  // namespace

std::optional<doc::Plan::WhatIf> what_if(Evaluator& evaluator, const Scenario& asked,
                                         const RunControl& control) {
  if (asked.search.designs() * asked.search.variants() > kMostChoices) return std::nullopt;
  doc::Plan::WhatIf grid;
  add_quantity<Duration>(grid.inputs, asked.text, "goal.deadline", kDeadlines);
  add_node_types(grid.inputs, asked);
  add_quantity<Power>(grid.inputs, asked.text, "site.power.feed", kLimits);
  add_quantity<Money>(grid.inputs, asked.text, "site.prices.budget", kLimits);
  std::size_t points = 1;
  std::erase_if(grid.inputs, [&points](const Input& input) {
    const bool fits = points * input.values.size() <= kMostPoints;
    if (fits) points *= input.values.size();
    return !fits;
  });
  RunControl quiet = control;
  quiet.on_design = {};
  const std::vector<std::string> conflict = outcome(evaluator, asked, quiet).conflict;
  if (!conflict.empty() && std::ranges::none_of(conflict, can_move)) {
    std::erase_if(grid.inputs, [](const Input& input) { return input.path != "cluster.node"; });
    points = grid.inputs.empty() ? 0 : grid.inputs.front().values.size();
  }
  if (grid.inputs.empty()) return std::nullopt;
  for (std::size_t point = 0; point < points; ++point) {
    Json text = asked.text;
    std::size_t rest = point;
    for (auto input = grid.inputs.rbegin(); input != grid.inputs.rend(); ++input) {
      const std::string& value = input->values[rest % input->values.size()];
      rest /= input->values.size();
      text = text.with(input->path, parse_json("\"" + value + "\"", "--set " + input->path));
    }
    try {
      const Scenario s = resolve_clusters(read_scenario(text, asked.file), evaluator.catalog());
      grid.outcomes.push_back(outcome(evaluator, s, quiet));
    } catch (const Error&) {  // another node type may not run what is asked at all
      grid.outcomes.push_back({.conflict = {std::string{to_string(Limit::configuration)}}});
    }
  }
  return grid;
}

}  // namespace rackcast
