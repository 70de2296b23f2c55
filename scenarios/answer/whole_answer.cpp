#include "scenarios/answer/whole_answer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/plan/plan.hpp"

namespace rackcast {

namespace {

/// What the cluster of the answer does with the workloads.
struct WholeFigures {
  Prediction prediction;        ///< of what takes longest
  std::size_t longest = 0;      ///< workload
  std::string binds;            ///< that one
  std::vector<Duration> times;  ///< of each workload
  std::optional<double> chance;
};

WholeFigures figures_on(Evaluator& evaluator, const Scenario& s, int nodes) {
  WholeFigures out;
  std::vector<Question> asked = questions(s);
  for (Question& q : asked) {
    q.cluster.nodes = nodes;
    for (const Question& part : one_by_one(q)) out.times.push_back(evaluator.time_to_train(part, false));
    Prediction p = evaluator.predict(q);
    if (p.time_to_train.value > out.prediction.time_to_train.value) out.prediction = std::move(p);
  }
  out.longest = static_cast<std::size_t>(std::ranges::max_element(out.times) - out.times.begin());
  Question longest = question(s, s.workloads[out.longest]);
  longest.cluster.nodes = nodes;
  out.binds = evaluator.run(longest).binds;
  if (s.goal) out.chance = chance_within(evaluator, asked, s.goal->deadline, nodes);
  return out;
}

/// What is known where a limit has ended the simulation: the workloads' own figures on that cluster.
WholeFigures known_figures(const Result& r, int nodes) {
  WholeFigures out;
  Estimate sum;
  bool all = true;
  for (std::size_t i = 0; i < r.workloads.size(); ++i) {
    const WorkloadResult& w = r.workloads[i];
    const Estimate& time = w.prediction.time_to_train;
    const bool known = w.answer.nodes == nodes && !time.unit.empty();
    all = all && known;
    out.times.emplace_back(known ? time.value : 0);
    if (!known) continue;
    sum = {sum.value + time.value, sum.low + time.low, sum.high + time.high, time.unit,
           sum.median.value_or(0) + time.median.value_or(time.value)};
    if (time.value <= out.prediction.time_to_train.value) continue;
    out.prediction = w.prediction;
    out.longest = i;
    out.binds = w.run.binds;
  }
  if (r.scenario.adds_up()) out.prediction = {all ? sum : Estimate{}, {}, {}, {}};
  return out;
}

WholeFigures figures(Evaluator& evaluator, const Result& r, int nodes) {
  try {
    return figures_on(evaluator, r.scenario, nodes);
  } catch (const LimitReached&) {
    return known_figures(r, nodes);
  }
}

/// The workload that needs most of the cluster: without an answer, else with the most nodes, else the
/// slowest.
const WorkloadResult& hungriest(const Result& r) {
  const auto less = [](const WorkloadResult& a, const WorkloadResult& b) {
    if (a.answer.feasible != b.answer.feasible) return a.answer.feasible;
    if (a.answer.nodes != b.answer.nodes) return a.answer.nodes < b.answer.nodes;
    return a.prediction.time_to_train.value < b.prediction.time_to_train.value;
  };
  return *std::max_element(r.workloads.begin(), r.workloads.end(), less);
}

void describe_cluster(Answer& a, const doc::PlanCandidate& c) {
  a.nodes = static_cast<int>(c.nodes);
  a.gpus = static_cast<int>(c.gpus);
  a.spares = static_cast<int>(c.spares);
  a.node = c.node;
  a.node_title = c.node_title;
  a.rack_units = c.rack_units;
  a.power_kw = c.nameplate_w ? std::optional(*c.nameplate_w / 1000) : std::nullopt;
}

void describe_none(Answer& a) {
  a.nodes = a.gpus = a.spares = 0;
  a.rack_units.reset();
  a.power_kw.reset();
  a.node.clear();
  a.node_title.clear();
}

/// The planner's own proof, where the search for nodes alone came to another count.
void take_proof(Answer& a, const Scenario& s, const PlanReport& plan) {
  a.conflicts.clear();
  a.changes.clear();
  a.why_not_fewer.reset();
  a.binding_constraint = what_binds(s, plan);
  if (!plan.smaller || plan.smaller->breaks.empty()) return;
  a.why_not_fewer = Smaller{static_cast<int>(plan.smaller->nodes), a.binding_constraint, {}, {}};
}

void answer_feasible(Evaluator& evaluator, Result& r) {
  const PlanReport& plan = *r.plan;
  Answer& a = r.answer;
  const bool found = a.feasible && a.nodes == plan.chosen->nodes;
  a.feasible = true;
  describe_cluster(a, *plan.chosen);
  if (!asks_for_nodes(r.scenario)) return;
  if (!found) take_proof(a, r.scenario, plan);
  if (r.workloads.size() == 1 || r.scenario.adds_up()) return;
  if (a.why_not_fewer) a.why_not_fewer->workload = hungriest(r).spec.model;
  try {  // what would change the answer for all of them
    const std::vector<Question> asked = questions(r.scenario);
    const GoalSpec& goal = *r.scenario.goal;
    a.changes = changes(evaluator, asked, goal, a.nodes);
    if (a.binding_constraint == to_string(Limit::gpu_memory))
      std::ranges::move(memory_changes(evaluator, asked, goal, a.nodes), std::back_inserter(a.changes));
    a.changes.push_back(confident(evaluator, asked, goal, a.nodes));
  } catch (const LimitReached&) {  // `partial` says so
  }
}

/// Does a workload's own conflict speak of a larger cluster than the one that needs least of the limit?
bool of_larger_cluster(const Conflict& own, const doc::Plan::Conflict& least) {
  constexpr Limit sums[] = {Limit::max_racks, Limit::rack_units,  Limit::floor_area,  Limit::site_power,
                            Limit::budget,    Limit::opex_budget, Limit::total_budget};
  return least.at && std::ranges::find(sums, own.limit) != std::end(sums) &&
         !own.best.ends_with(least.needed);
}

void answer_infeasible(Result& r) {
  const PlanReport& plan = *r.plan;
  Answer& a = r.answer;
  if (a.feasible) a.changes.clear();  // of a count that keeps not every limit
  a.feasible = false;
  a.why_not_fewer.reset();
  if (plan.nearest)
    describe_cluster(a, *plan.nearest);
  else
    describe_none(a);
  if (plan.conflict_set.empty()) return;  // a limit ended the search
  if (!a.conflicts.empty() && plan.conflict_set.size() == 1 &&
      !of_larger_cluster(a.conflicts.front(), plan.conflict_set.front()))
    return;  // they say more than the limit's name
  if (a.conflicts.empty()) a.binding_constraint = plan.conflict_set.front().limit;
  const std::vector<Conflict> found = std::exchange(a.conflicts, {});
  for (const doc::Plan::Conflict& c : plan.conflict_set) {
    const Limit limit = limit_named(c.limit);
    const auto same = std::ranges::find(found, limit, &Conflict::limit);  // it may say more than numbers do
    a.conflicts.push_back({limit, c.allowed, c.needed,
                           same == found.end() || of_larger_cluster(*same, c) ? std::nullopt : same->why});
  }
}

/// Workloads whose times add up end their ladders in the time of all.
void add_time_of_all(Result& r, const WholeFigures& f) {
  const double time = f.prediction.time_to_train.value;
  if (!r.scenario.adds_up() || time <= 0) return;
  for (WorkloadResult& w : r.workloads) {
    if (w.ladder.empty()) continue;
    w.ladder.insert(
        std::prev(w.ladder.end()),
        {doc::Reason{"time_of_all", {{"time_s", time}, {"workloads", r.workloads.size()}}}, time, "s"});
  }
}

/// Whether what binds the choice binds this workload: of the deadline only those that miss it one size
/// smaller.
bool slow_on_fewer(Evaluator& evaluator, const Result& r, std::size_t i) {
  const WorkloadResult& w = r.workloads[i];
  if (w.answer.binding_constraint != to_string(Limit::deadline) || !r.plan->smaller) return true;
  Question q = question(r.scenario, r.scenario.workloads[i]);
  const doc::PlanCandidate& smaller = *r.plan->smaller;
  q.cluster.nodes = static_cast<int>(smaller.nodes);
  q.gpus = q.cluster.gpus_per_job =
      smaller.gpus_per_job ? std::optional{static_cast<int>(*smaller.gpus_per_job)} : std::nullopt;
  try {
    return evaluator.time_to_train(q, false) > r.scenario.goal->deadline;
  } catch (const LimitReached&) {
    return true;
  }
}

/// How the count of nodes, the last rung of each ladder, came about.
void say_how(Result& r) {
  const GoalSpec& goal = *r.scenario.goal;
  for (WorkloadResult& w : r.workloads) {
    if (w.ladder.empty()) continue;
    const char* how = !w.answer.feasible            ? "none"
                      : !asks_for_nodes(r.scenario) ? "choice"
                      : r.scenario.adds_up()        ? "all"
                                                    : "least";
    w.ladder.back().what = doc::Reason{"nodes",
                                       {{"how", how},
                                        {"objective", to_string(goal.objective)},
                                        {"nodes", w.answer.nodes},
                                        {"spares", w.answer.spares},
                                        {"deadline_s", goal.deadline.base()}}};
  }
}

void add_figures(Evaluator& evaluator, Result& r, int nodes) {
  const WholeFigures f = nodes > 0 ? figures(evaluator, r, nodes) : WholeFigures{};
  if (r.workloads.size() > 1) r.times = f.times;
  if (nodes == 0) return;
  r.prediction = f.prediction;
  r.slowest = f.longest;
  add_time_of_all(r, f);
  r.answer.workload = r.workloads[f.longest].spec.model;
  r.answer.binds = f.binds;
  if (r.answer.feasible) r.answer.deadline_probability = f.chance;
}

}  // namespace

std::string what_binds(const Scenario& s, const PlanReport& plan) {
  if (plan.smaller) return plan.smaller->breaks.empty() ? plan.objective : plan.smaller->breaks.front();
  if (s.cluster.gpus_per_job) return constraint::job;
  if (plan.chosen->nodes == 1) return constraint::one_node;
  // There is no smaller size, or a limit ended the search before anybody asked.
  return plan.partial ? constraint::limit : constraint::smallest;
}

bool asks_for_nodes(const Scenario& s) {
  return s.goal->objective == Objective::fewest_nodes && s.search.nodes.empty() &&
         s.search.gpus_per_job.empty() && !s.cluster.gpus_per_job;
}

int described_nodes(const Result& r) {
  if (r.plan && !r.plan->chosen && !r.plan->nearest) return 0;
  return r.scenario.cluster.nodes;
}

void answer_size(Evaluator& evaluator, Result& r) {
  const PlanReport& plan = *r.plan;
  if (!r.scenario.adds_up() || !asks_for_nodes(r.scenario)) r.answer = hungriest(r).answer;
  if (plan.chosen) {
    answer_feasible(evaluator, r);
  } else {
    answer_infeasible(r);
  }
  add_figures(evaluator, r, described_nodes(r));
  for (std::size_t i = 0; i < r.workloads.size(); ++i) {
    WorkloadResult& w = r.workloads[i];
    if (r.scenario.adds_up()) {
      w.answer.feasible = r.answer.feasible;
      w.answer.binding_constraint = r.answer.binding_constraint;
    } else if (plan.chosen && !asks_for_nodes(r.scenario) && !slow_on_fewer(evaluator, r, i)) {
      w.answer.binding_constraint.clear();
    }
  }
  say_how(r);
}

void answer_simulation(Evaluator& evaluator, Result& r) {
  const WorkloadResult& most = hungriest(r);
  r.answer = most.answer;
  if (most.answer.binding_constraint == constraint::limit) {
    if (!r.scenario.adds_up()) r.prediction = most.prediction;
    return;
  }
  add_figures(evaluator, r, r.scenario.cluster.nodes);
}

}  // namespace rackcast
