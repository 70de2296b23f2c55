#include "scenarios/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/pareto.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/plan/plan_relaxations.hpp"
#include "scenarios/plan/plan_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostOptions = 64, kMostFront = 200;

class Planner {
 public:
  Planner(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, PlanReport& report)
      : evaluator_(evaluator), search_(search), scenario_(scenario), report_(report) {}

  [[nodiscard]] doc::PlanCandidate candidate(const Judged& c) const {
    return plan_candidate(scenario_, search_.space(), c);
  }
  void choose(const Judged& c);
  void add_options();
  void add_front();
  /// The candidate that breaks least of one of them: what the rest of the result then speaks of.
  /// `use` times what is allowed, `of` the nodes of a candidate where it depends on them.
  [[nodiscard]] std::string amount(Limit limit, double use, const Judged* of) const;
  std::optional<Judged> add_conflicts();

 private:
  [[nodiscard]] std::vector<double> dimensions(const doc::PlanCandidate& c) const;
  [[nodiscard]] std::shared_ptr<const Question> slowest(const Judged& c);

  Evaluator& evaluator_;
  PlanSearch& search_;
  const Scenario& scenario_;
  PlanReport& report_;
};

void Planner::choose(const Judged& c) {
  report_.chosen = candidate(c);
  if (const auto smaller = search_.smaller(c)) report_.smaller = candidate(*smaller);
}

void Planner::add_options() {
  const auto known = search_.simulated(PerLimit{1});
  const auto& designs = search_.space().designs;
  const Objective objective = scenario_.goal->objective;
  for (std::size_t d = 0; d < designs.size() && report_.options.size() < kMostOptions; ++d) {
    doc::Plan::Option option{
        designs[d].node.title, designs[d].network, storage_text(scenario_, designs[d].storage), {}, {}};
    const Judged* best = nullptr;
    for (const Judged& c : known)
      if (c.design == d && (!best || rank(objective, c) < rank(objective, *best))) best = &c;
    if (best) {
      option.best = candidate(*best);
    } else {
      for (const Limit limit : limits_of(smallest_conflict(search_.conflicts(d))))
        option.conflict.emplace_back(to_string(limit));
    }
    report_.options.push_back(std::move(option));
  }
}

std::vector<double> Planner::dimensions(const doc::PlanCandidate& c) const {
  std::vector<double> out{static_cast<double>(c.nodes), static_cast<double>(c.gpus), *c.time_s};
  if (scenario_.site && scenario_.site->prices) {
    out.push_back(c.total_usd.value_or(dropped));
    out.push_back(c.cost_is_open() ? 1 : 0);  // a sum with a gap is not less than one without
  }
  if (scenario_.site) out.push_back(c.energy_j.value_or(dropped));
  return out;
}

void Planner::add_front() {
  PerLimit whenever{1};
  whenever[Limit::deadline] = dropped;
  const std::vector<Judged> all = search_.simulated(whenever);
  std::vector<std::vector<double>> points;
  for (const Judged& c : all) points.push_back(dimensions(candidate(c)));
  std::vector<std::size_t> front = pareto_front(points);
  std::ranges::stable_sort(front, {}, [&](std::size_t i) { return std::pair{all[i].nodes, all[i].time}; });
  if (front.size() > kMostFront) front.resize(kMostFront);
  for (const std::size_t i : front) {
    report_.front.push_back(candidate(all[i]));
    report_.slowest.push_back(slowest(all[i]));
  }
}

std::shared_ptr<const Question> Planner::slowest(const Judged& c) {
  std::shared_ptr<const Question> out;
  Duration longest{-1};
  std::vector<Question> asked =
      questions(with_choice(scenario_, search_.space(), c.design, c.size, c.variants));
  for (Question& q : asked) {
    const Duration time = asked.size() > 1 ? evaluator_.time_to_train(q, false) : Duration{0};
    if (time <= longest) continue;
    longest = time;
    out = std::make_shared<const Question>(std::move(q));
  }
  return out;
}

std::string Planner::amount(Limit limit, double use, const Judged* of) const {
  if (limit == Limit::gpu_memory && of)
    return to_text(use * search_.space().designs[of->design].node.gpu_memory);
  return amount_text(limit, scenario_, use);
}

std::optional<Judged> Planner::add_conflicts() {
  std::optional<Judged> nearest;
  search_.explore_beyond();
  const LimitMask set = smallest_conflict(search_.conflicts());
  const auto members = limits_of(set);
  for (const Limit limit : members) {
    doc::Plan::Conflict c;
    c.limit = to_string(limit);
    c.allowed = amount(limit, 1, nullptr);
    PerLimit others{dropped};
    others[Limit::configuration] = 1;
    for (const Limit other : members) others[other] = other == limit ? dropped : 1;
    // Of a limit that more nodes help rather a cluster that keeps all limits which are not in conflict:
    // others would have ever more nodes.
    PerLimit all_others{1};
    all_others[limit] = dropped;
    const bool helped = limit_kinds[static_cast<std::size_t>(limit)].more_nodes == MoreNodes::help;
    std::optional<Judged> least = helped ? search_.least(limit, all_others) : std::nullopt;
    if (!least || !std::isfinite(least->uses[limit])) least = search_.least(limit, others);
    const bool known = least && std::isfinite(least->uses[limit]);
    const auto undecided = search_.undecided().find(limit);
    if (undecided != search_.undecided().end()) {
      // Smaller clusters may keep it: what needs least of it is not known.
      c.missing = undecided->second;
      if (known && !nearest) nearest = least;
    } else if (known) {
      c.at = candidate(*least);
      if (!nearest || nearest->uses[Limit::deadline] > 1) nearest = least;  // rather one that is in time
      c.allowed = amount(limit, 1, &*least);
      c.needed = amount(limit, least->uses[limit], &*least);
    }
    PerLimit alone{1};
    alone[limit] = dropped;
    c.alone = limit != Limit::configuration && search_.best(alone).has_value();
    report_.conflict_set.push_back(std::move(c));
  }
  return nearest;
}

}  // namespace

PlanReport make_plan(Evaluator& evaluator, const Scenario& scenario, const RunControl& control,
                     Scenario& chosen) {
  PlanReport report;
  const Objective objective = scenario.goal->objective;
  report.objective = to_string(objective);
  PlanSearch search{evaluator, scenario, control};
  Planner planner{evaluator, search, scenario, report};
  const auto counted = [](std::size_t count) {
    return static_cast<std::int64_t>(count);
  };
  report.designs = counted(search.space().designs.size());
  report.variants = counted(scenario.search.variants());
  std::optional<Judged> best, nearest;
  try {
    search.explore();
    best = search.best(PerLimit{1});
    if (best) {
      planner.choose(*best);
      add_relaxations(evaluator, search, scenario, control, *best, report.relaxations);
    } else {
      nearest = planner.add_conflicts();
    }
  } catch (const LimitReached&) {
    report.partial = true;
    if (!best) {
      best = search.best_known(PerLimit{1});
      if (best) report.chosen = planner.candidate(*best);
    }
  }
  planner.add_options();
  planner.add_front();
  const PlanSpace& space = search.space();
  if (best || nearest) {
    const Judged& at = best ? *best : *nearest;
    if (!best) report.nearest = planner.candidate(at);
    chosen = with_choice(scenario, space, at.design, at.size, at.variants);
  } else {  // what the rest of the result then speaks of
    const std::vector<std::size_t> first(scenario.workloads.size(), 0);
    chosen = with_choice(scenario, space, 0, space.designs.front().asked - 1, first);
  }
  report.judged = counted(search.judged());
  report.simulated = counted(search.points());
  for (const Refusal& r : search.refusals()) {
    const Design& d = space.designs[r.design];
    report.refused.push_back(
        fmt::format("{}{}{}: {}", d.node.title, d.network.empty() ? "" : ", ", d.network, r.error.message()));
  }
  return report;
}

}  // namespace rackcast
