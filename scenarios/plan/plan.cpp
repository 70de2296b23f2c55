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
constexpr double kAsNear = 0.01;  ///< a part more of a GPU's memory

class Planner {
 public:
  Planner(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, PlanReport& report)
      : evaluator_(evaluator), search_(search), scenario_(scenario), report_(report) {}

  [[nodiscard]] doc::PlanCandidate candidate(const Judged& c) const {
    return plan_candidate(evaluator_, scenario_, search_.space(), c);
  }
  void choose(const Judged& c);
  void add_options();
  void add_front();
  /// The candidate that breaks least of one of them: what the rest of the result then speaks of.
  /// `use` times what is allowed, `of` the nodes of a candidate where it depends on them.
  [[nodiscard]] std::string amount(Limit limit, double use, const Judged* of) const;
  std::optional<Judged> add_conflicts();

 private:
  /// Every limit is kept but those that a sum with a gap leaves undecided.
  [[nodiscard]] PerLimit decidable() const;
  /// The best candidate of which nothing is known that it breaks; nothing if there is none.
  std::optional<Judged> best_undecided();
  /// The candidate that asks least of a limit and keeps the others; nothing if there is none, or if nobody
  /// knows what it asks.
  std::optional<Judged> least(Limit limit, PerLimit others);
  /// `nodes`: of the candidate for which something is missing, where `at` does not say what is needed.
  void add_conflict(Limit limit, const std::optional<Judged>& at, int nodes);
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

PerLimit Planner::decidable() const {
  PerLimit out{1};
  for (const auto& [limit, missing] : search_.undecided()) out[limit] = dropped;
  return out;
}

std::optional<Judged> Planner::best_undecided() {
  if (search_.undecided().empty()) return std::nullopt;
  std::optional<Judged> best = search_.best(decidable());
  if (!best) return std::nullopt;
  const auto limits = limits_of(best->breaks());
  const bool open = std::ranges::none_of(limits, [&](Limit l) { return std::isfinite(best->uses[l]); });
  return open ? best : std::nullopt;
}

std::optional<Judged> Planner::least(Limit limit, PerLimit others) {
  others[limit] = dropped;
  std::optional<Judged> out = search_.least(limit, others);
  if (!out || !std::isfinite(out->uses[limit])) return std::nullopt;
  if (limit != Limit::gpu_memory) return out;
  // What replicas divide among them shrinks ever more slowly: no cluster is nearer for a hundredth of it.
  others[limit] = (1 + kAsNear) * out->uses[limit];
  const std::optional<Judged> as_near = search_.best(others);
  return as_near ? as_near : out;
}

void Planner::add_conflict(Limit limit, const std::optional<Judged>& at, int nodes) {
  doc::Plan::Conflict c;
  c.limit = to_string(limit);
  c.allowed = amount(limit, 1, at ? &*at : nullptr);
  if (at) {
    c.at = candidate(*at);
    c.needed = amount(limit, at->uses[limit], &*at);
  } else if (const auto open = search_.undecided().find(limit); open != search_.undecided().end()) {
    const auto there = open->second.find(nodes);
    c.missing = (there == open->second.end() ? open->second.begin() : there)->second;
  }
  PerLimit alone{1};
  alone[limit] = dropped;
  c.alone = limit != Limit::configuration && search_.best(alone).has_value();
  report_.conflict_set.push_back(std::move(c));
}

std::optional<Judged> Planner::add_conflicts() {
  search_.explore_beyond();
  if (std::optional<Judged> best = best_undecided()) {
    for (const Limit limit : limits_of(best->breaks())) add_conflict(limit, std::nullopt, best->nodes);
    return best;
  }
  std::optional<Judged> nearest;
  // Rather one that is in time, and of those the one that breaks least.
  const auto far = [](const Judged& c) {
    return std::pair{c.uses[Limit::deadline] > 1, limits_of(c.breaks()).size()};
  };
  const auto members = limits_of(smallest_conflict(search_.conflicts()));
  PerLimit together{dropped};
  together[Limit::configuration] = 1;
  for (const Limit limit : members) together[limit] = 1;
  for (const Limit limit : members) {
    // Of a limit that more nodes help rather a cluster that keeps all limits which are not in conflict:
    // others would have ever more nodes.
    const std::optional<Judged> alone = least(limit, decidable());
    const bool helped = limit_kinds[static_cast<std::size_t>(limit)].more_nodes == MoreNodes::help;
    std::optional<Judged> at = helped && alone ? alone : least(limit, together);
    for (const auto& candidate : {alone, at})
      if (candidate && (!nearest || far(*candidate) < far(*nearest))) nearest = candidate;
    // Smaller clusters may keep it: what needs least of it is not known.
    const int nodes = at ? at->nodes : 0;
    if (search_.undecided().contains(limit)) at.reset();
    add_conflict(limit, at, nodes);
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
