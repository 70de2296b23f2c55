#include "scenarios/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/pareto.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/plan/plan_relaxations.hpp"
#include "scenarios/plan/plan_search.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostOptions = 64, kMostFront = 200;

class Planner {
 public:
  Planner(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, PlanReport& report)
      : evaluator_(evaluator), search_(search), scenario_(scenario), report_(report) {}

  [[nodiscard]] PlanCandidate candidate(const Judged& c) const {
    return plan_candidate(scenario_, search_.space(), c);
  }
  void choose(const Judged& c);
  void add_options();
  void add_front();
  /// The candidate that breaks least of one of them: what the rest of the result then speaks of.
  std::optional<Judged> add_conflicts();

 private:
  [[nodiscard]] std::vector<double> dimensions(const PlanCandidate& c) const;
  [[nodiscard]] std::shared_ptr<const Question> slowest(const Judged& c);

  Evaluator& evaluator_;
  PlanSearch& search_;
  const Scenario& scenario_;
  PlanReport& report_;
};

/// What the objective counts, of a candidate.
std::string worth(Objective objective, const PlanCandidate& c) {
  switch (objective) {
    case Objective::lowest_cost:
      return c.total ? std::string{at_least(!c.missing.none())} + to_text(*c.total) : std::string{"no price"};
    case Objective::lowest_energy:
      return c.energy ? std::string{at_least(!c.missing.power.empty())} + to_text(*c.energy)
                      : std::string{"no power rating"};
    case Objective::fastest:
      return to_text(c.time);
    case Objective::fewest_nodes:
      break;
  }
  return count_of(c.nodes, "node") + (c.spares > 0 ? " and " + count_of(c.spares, "spare") : "");
}

std::string joined_reasons(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// "all workloads, one after another, in 12 days".
std::string time_text(const Scenario& s, Duration time) {
  return fmt::format("{} in {}",
                     s.workloads.size() == 1 ? "trained"
                     : s.adds_up()           ? "all workloads, one after another,"
                                             : "the slowest workload",
                     to_text(time));
}

void Planner::choose(const Judged& c) {
  report_.chosen = candidate(c);
  // A count of nodes and a time stand in the sentence already.
  const bool weighed =
      report_.objective == Objective::lowest_cost || report_.objective == Objective::lowest_energy;
  report_.statement = fmt::format("{}: {}{}, {}.",
                                  report_.objective == Objective::fewest_nodes    ? "Fewest nodes"
                                  : report_.objective == Objective::lowest_cost   ? "Lowest cost"
                                  : report_.objective == Objective::lowest_energy ? "Lowest energy"
                                                                                  : "Fastest",
                                  named(*report_.chosen),
                                  weighed ? " (" + worth(report_.objective, *report_.chosen) + ")" : "",
                                  time_text(scenario_, report_.chosen->time));
  const auto smaller = search_.smaller(c);
  if (!smaller) {
    report_.smaller_statement = "There is no smaller size.";
    return;
  }
  report_.smaller = candidate(*smaller);
  const PlanCandidate& s = *report_.smaller;
  const std::string size = s.gpus_per_job ? count_of(s.gpus, "GPU") : count_of(s.nodes, "node");
  report_.smaller_statement =
      s.breaks.empty() ? fmt::format("{} would do too, but less well: {} against {}.", size,
                                     worth(report_.objective, s), worth(report_.objective, *report_.chosen))
                       : fmt::format("{} would take {} and break: {}.", size,
                                     told_apart(s.time, scenario_.goal->deadline), joined_reasons(s.breaks));
}

void Planner::add_options() {
  const auto known = search_.simulated(PerLimit{1});
  const auto& designs = search_.space().designs;
  for (std::size_t d = 0; d < designs.size() && report_.options.size() < kMostOptions; ++d) {
    PlanOption option{
        {}, designs[d].node.title, designs[d].network, storage_text(scenario_, designs[d].storage), {}};
    const Judged* best = nullptr;
    for (const Judged& c : known)
      if (c.design == d && (!best || rank(report_.objective, c) < rank(report_.objective, *best))) best = &c;
    if (best) {
      option.best = candidate(*best);
    } else {
      for (const Limit limit : limits_of(smallest_conflict(search_.conflicts(d))))
        option.conflict.emplace_back(to_string(limit));
    }
    report_.options.push_back(std::move(option));
  }
}

std::vector<double> Planner::dimensions(const PlanCandidate& c) const {
  std::vector<double> out{static_cast<double>(c.nodes), static_cast<double>(c.gpus), c.time.base()};
  if (scenario_.site && scenario_.site->prices) {
    out.push_back(c.total ? c.total->base() : dropped);
    out.push_back(c.missing.none() ? 0 : 1);  // a sum with a gap is not less than one without
  }
  if (scenario_.site) out.push_back(c.energy ? c.energy->base() : dropped);
  return out;
}

void Planner::add_front() {
  PerLimit whenever{1};
  whenever[Limit::deadline] = dropped;
  std::vector<PlanCandidate> all;
  std::vector<std::vector<double>> points;
  for (const Judged& c : search_.simulated(whenever)) {
    all.push_back(candidate(c));
    all.back().slowest = slowest(c);
    points.push_back(dimensions(all.back()));
  }
  for (const std::size_t i : pareto_front(points)) report_.front.push_back(all[i]);
  std::ranges::stable_sort(report_.front, [](const PlanCandidate& a, const PlanCandidate& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.time < b.time;
  });
  if (report_.front.size() > kMostFront) report_.front.resize(kMostFront);
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

std::optional<Judged> Planner::add_conflicts() {
  std::optional<Judged> nearest;
  search_.explore_beyond();
  const LimitMask set = smallest_conflict(search_.conflicts());
  const auto members = limits_of(set);
  for (const Limit limit : members) {
    PlanConflict c;
    c.limit = limit;
    c.allowed = amount_text(limit, scenario_, 1);
    PerLimit others{dropped};
    others[Limit::configuration] = 1;
    for (const Limit other : members) others[other] = other == limit ? dropped : 1;
    const auto least = search_.least(limit, others);
    if (least && std::isfinite(least->uses[limit])) {
      const PlanCandidate at = candidate(*least);
      if (!nearest || nearest->uses[Limit::deadline] > 1) nearest = least;  // rather one that is in time
      c.needed = amount_text(limit, scenario_, least->uses[limit]);
      c.statement = limit == Limit::availability
                        ? fmt::format("{} reaches {}; {} is asked.", named(at), c.needed, c.allowed)
                        : fmt::format("{} needs {}; {} is allowed.", named(at), c.needed, c.allowed);
    } else {
      const auto undecided = search_.undecided().find(limit);
      c.statement = undecided == search_.undecided().end()
                        ? fmt::format("No candidate keeps it ({}).", kind_of(limit).title)
                        : undecided_statement(c.allowed, undecided->second);
    }
    PerLimit alone{1};
    alone[limit] = dropped;
    c.alone = limit != Limit::configuration && search_.best(alone).has_value();
    if (c.alone) c.statement += " Without this limit there is an answer.";
    report_.conflicts.push_back(std::move(c));
  }
  report_.statement = conflict_statement(members);
  return nearest;
}

}  // namespace

PlanReport make_plan(Evaluator& evaluator, const Scenario& scenario, const RunControl& control,
                     Scenario& chosen) {
  PlanReport report;
  report.objective = scenario.goal->objective;
  PlanSearch search{evaluator, scenario, control};
  Planner planner{evaluator, search, scenario, report};
  report.designs = search.space().designs.size();
  report.variants = scenario.search.variants();
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
  if (report.partial) {
    report.statement =
        report.chosen ? fmt::format("Not finished: the best found by then is {} ({}).", named(*report.chosen),
                                    worth(report.objective, *report.chosen))
                      : std::string{"Not finished: nothing that keeps the limits had been found by then."};
  }
  const PlanSpace& space = search.space();
  if (best || nearest) {
    const Judged& at = best ? *best : *nearest;
    if (!best) report.nearest = planner.candidate(at);
    chosen = with_choice(scenario, space, at.design, at.size, at.variants);
  } else {  // what the rest of the result then speaks of
    const std::vector<std::size_t> first(scenario.workloads.size(), 0);
    chosen = with_choice(scenario, space, 0, space.designs.front().asked - 1, first);
  }
  report.judged = search.judged();
  report.simulated = search.points();
  for (const Refusal& r : search.refusals()) {
    const Design& d = space.designs[r.design];
    report.refused.push_back(
        fmt::format("{}{}{}: {}", d.node.title, d.network.empty() ? "" : ", ", d.network, r.error.message()));
  }
  return report;
}

}  // namespace rackcast
