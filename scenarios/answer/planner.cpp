#include "scenarios/answer/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "scenarios/answer/confident_plan.hpp"
#include "scenarios/answer/describe.hpp"
#include "scenarios/answer/growth.hpp"
#include "scenarios/answer/neighbours.hpp"
#include "scenarios/answer/sensitivity.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/answer/what_if.hpp"
#include "scenarios/answer/whole_answer.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/graph_spec.hpp"
#include "scenarios/plan/design.hpp"
#include "scenarios/plan/front_intervals.hpp"
#include "sim/engine/trace.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// A limit has ended the work on a workload: says so, and what has been found.
void stop(WorkloadResult& w, const WorkloadSpec& spec, Evaluator& evaluator) {
  w.spec = spec;
  w.title = evaluator.workload(spec).title;
  if (!w.answer.conflicts.empty()) return;
  w.answer.workload = spec.model;
  w.answer.binding_constraint = constraint::limit;
  for (const auto& [nodes, time] : evaluator.known_times()) w.answer.known_times.push_back({nodes, time});
}

/// Why not fewer nodes than `found`, what would change that, or what conflicts.
void answer_question(Evaluator& evaluator, const Scenario& s, const Question& q, const Found& found,
                     Answer& a, std::vector<Alternative>& alternatives) {
  const GoalSpec& goal = *s.goal;
  const std::vector<Question> asked{q};
  a.feasible = found.feasible;
  a.conflicts = found.conflicts;
  if (found.feasible) {
    a.nodes = found.nodes;
    TrainingDemand demand{evaluator, q, goal.deadline};
    a.why_not_fewer = why_not_fewer(demand, found.nodes);
    a.binding_constraint = a.why_not_fewer ? a.why_not_fewer->fails : std::string{constraint::one_node};
    a.changes = changes(evaluator, asked, goal, found.nodes);
    if (a.binding_constraint == to_string(Limit::gpu_memory))
      std::ranges::move(memory_changes(evaluator, asked, goal, found.nodes), std::back_inserter(a.changes));
    a.changes.push_back(confident(evaluator, asked, goal, found.nodes));
  } else {
    a.binding_constraint = to_string(found.conflicts.front().limit);
    if (a.binding_constraint == to_string(Limit::gpu_memory))
      a.changes = memory_changes(evaluator, asked, goal, std::nullopt);
  }
  for (const std::string& node : goal.alternatives)
    alternatives.push_back(alternative(evaluator, q, goal, node));
}

/// Nodes of the cluster that comes nearest; 0: there is none, or an answer.
int nearest_of(const PlanReport& plan) {
  return plan.nearest ? static_cast<int>(plan.nearest->nodes) : 0;
}

/// What the report speaks of where a search found no answer: the cluster that comes nearest.
int nodes_to_describe(const Found& found, const PlanReport& plan, const Scenario& chosen) {
  if (found.feasible) return found.nodes;
  return plan.nearest ? chosen.cluster.nodes : std::max(1, found.nodes);
}

/// One workload, with the whole cluster and the whole deadline for itself.
void size_workload(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec, const PlanReport& plan,
                   WorkloadResult& w) {
  const Question q = question(s, spec);
  const Found found = find_nodes(evaluator, q, s.goal->deadline, s.goal->max_nodes, nearest_of(plan));
  describe(evaluator, s, spec, nodes_to_describe(found, plan, s), w);
  answer_question(evaluator, s, q, found, w.answer, w.alternatives);
}

/// What the cluster of the figures breaks, of the deadline only where this workload misses it; without such a
/// cluster the first of the limits that conflict.
std::string broken_by(const PlanReport& plan, const WorkloadResult& w, Duration deadline) {
  if (!plan.nearest) return plan.conflict_set.empty() ? std::string{} : plan.conflict_set.front().limit;
  for (const std::string& limit : plan.nearest->breaks)
    if (limit != to_string(Limit::deadline) || Duration{w.prediction.time_to_train.value} > deadline)
      return limit;
  return {};
}

/// The workload on the size that was chosen for all of them.
void describe_chosen(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec,
                     const PlanReport& plan, WorkloadResult& w) {
  const bool none = !plan.chosen && !plan.nearest;  // what is described is no answer, so it has no cluster
  describe(evaluator, s, spec, none ? 1 : s.cluster.nodes, w);
  if (none) {
    w.answer.nodes = w.answer.gpus = w.answer.spares = 0;
    w.prediction = {};
  }
  w.answer.feasible = plan.chosen.has_value();
  if (!plan.chosen)
    w.answer.binding_constraint = broken_by(plan, w, s.goal->deadline);
  else
    w.answer.binding_constraint = what_binds(s, plan);
}

/// Each workload of a scenario whose workloads have an answer each, or only a place in the planner's.
void size_each(Evaluator& evaluator, Result& result) {
  const Scenario& chosen = result.scenario;
  for (const WorkloadSpec& spec : chosen.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    try {
      if (asks_for_nodes(chosen) && !chosen.adds_up())
        size_workload(evaluator, chosen, spec, *result.plan, w);
      else
        describe_chosen(evaluator, chosen, spec, *result.plan, w);
    } catch (const LimitReached&) {
      stop(w, spec, evaluator);
    }
  }
}

/// What is asked of all workloads at once, where they run one after another.
void size_together(Evaluator& evaluator, Result& result) {
  const Scenario& chosen = result.scenario;
  Question q = questions(chosen).front();
  try {
    if (asks_for_nodes(chosen)) {
      const Found found =
          find_nodes(evaluator, q, chosen.goal->deadline, chosen.goal->max_nodes, nearest_of(*result.plan));
      answer_question(evaluator, chosen, q, found, result.answer, result.alternatives);
    }
    q.cluster.nodes = described_nodes(result);
    if (q.cluster.nodes > 0) result.sensitivity = sensitivity(evaluator, chosen, q);
  } catch (const LimitReached&) {
    if (result.answer.conflicts.empty()) result.answer.binding_constraint = constraint::limit;
  }
}

/// Data in time, the site and the drawings, all of the cluster that the answer describes.
void add_cluster_reports(Result& result, Evaluator& evaluator) {
  const int nodes = described_nodes(result);
  std::vector<Question> asked = questions(result.scenario);
  for (Question& q : asked) q.cluster.nodes = std::max(1, nodes);
  Question shown = asked.front();
  shown.workload = result.scenario.workloads[result.slowest];
  shown.then.clear();
  try {
    result.growth = growth_report(evaluator, result.scenario, asked);
    if (nodes > 0) result.site = site_report(evaluator, evaluator.catalog(), result.scenario, shown);
  } catch (const LimitReached&) {
    result.growth.reset();  // `partial` says so
  }
  try {
    if (nodes > 0) result.drawings = machine_drawings(evaluator.cluster(shown));
  } catch (const LimitReached&) {  // a cluster that was not built in time is not drawn
  }
}

/// Throws Error at the failures of the scenario where nodes fail so often that no training gets done, on so
/// many nodes.
void check_failures(Evaluator& evaluator, const Scenario& s, int nodes) {
  constexpr double nothing_done = 1e-6;  // of the time; a day of training would take thousands of years
  if (!s.failures) return;
  for (const WorkloadSpec& w : s.workloads) {
    Question q = question(s, w);
    q.cluster.nodes = nodes;
    const auto plan = evaluator.failures(q);
    if (!plan || plan->goodput.useful >= nothing_done) continue;
    throw Error{fmt::format("no training gets done: the job fails every {} on {}, and a restart takes {}",
                            to_text(plan->spec.mttf), count_of(nodes, "node"),
                            to_text(plan->detection + plan->restart)),
                s.failures->where, "state a longer \"node_mtbf\", or fewer nodes"};
  }
}

/// The owner's measurements beside the model, and what each does to the time on the cluster of the answer.
void add_measured(Result& result, Evaluator& evaluator) {
  if (result.scenario.measured.empty()) return;
  std::vector<Question> asked = questions(result.scenario);
  for (Question& q : asked)
    if (result.answer.nodes > 0) q.cluster.nodes = result.answer.nodes;
  try {
    result.measured = evaluator.compare_measured(asked);
  } catch (const LimitReached&) {  // `partial` says so
  }
}

/// Of the nodes of a job of a given number of GPUs that have none of them; nothing where all take part.
std::optional<doc::Reason> idle_nodes_note(const Result& result, Evaluator& evaluator) {
  const int nodes = described_nodes(result);
  if (!result.scenario.cluster.gpus_per_job || nodes < 1) return {};
  Question q = questions(result.scenario).front();
  q.cluster.nodes = nodes;
  int idle = 0;
  try {
    idle = nodes - evaluator.cluster(q).topology.nodes();
  } catch (const LimitReached&) {  // before the cluster was built
  }
  if (idle < 1) return {};
  return doc::Reason{"idle_nodes", {{"idle", idle}, {"nodes", nodes}, {"gpus", *q.gpus}}};
}

void finish(Result& result, Evaluator& evaluator) {
  if (result.answer.nodes > 0)
    result.answer.gpus_in_nodes = result.answer.nodes * evaluator.node(result.scenario.cluster).gpus;
  add_cluster_reports(result, evaluator);
  add_measured(result, evaluator);
  result.assumptions = evaluator.assumptions();
  try {
    if (result.plan) add_time_intervals(evaluator, *result.plan);
  } catch (const LimitReached&) {  // the front stands without intervals
  }
  if (result.site) std::ranges::copy(result.site->assumptions(), std::back_inserter(result.assumptions));
  result.warnings = evaluator.warnings();
  if (const auto idle = idle_nodes_note(result, evaluator)) result.warnings.push_back(*idle);
  for (const WorkloadResult& w : result.workloads)
    if (w.run.period == 0 && !w.run.partial)
      result.warnings.push_back(doc::Reason{"no_cycle", {{"workload", w.title}, {"steps", w.run.steps}}});
  for (const WorkloadResult& w : result.workloads)
    if (w.collisions) result.warnings.push_back(*w.collisions);
  for (const WorkloadResult& w : result.workloads)
    if (w.superlinear) result.warnings.push_back(*w.superlinear);
  for (const WorkloadResult& w : result.workloads)
    if (w.batch.largest_useful && w.global_batch > *w.batch.largest_useful * (1 + 1e-9))
      result.warnings.push_back(doc::Reason{"batch_past_useful",
                                            {{"workload", w.title},
                                             {"samples", w.global_batch},
                                             {"tokens", w.batch.what.number_if("tokens")},
                                             {"useful", *w.batch.largest_useful},
                                             {"stated", w.batch.stated}}});
  result.partial = evaluator.partial();
  if (result.partial) result.warnings.emplace_back("ended_early");
}

/// What size() will ask of the chosen cluster, piece by piece, so that threads may simulate it ahead. Only of
/// an answer it asks what would change it.
std::vector<Evaluator::Task> rest_of_answer(const Scenario& s, bool answered) {
  std::vector<Evaluator::Task> tasks;
  const GoalSpec& goal = *s.goal;
  const auto found = [&s, &goal](Evaluator& e, const Question& q) {
    const Found it = find_nodes(e, q, goal.deadline, goal.max_nodes);
    return it.feasible ? it.nodes : s.cluster.nodes;
  };
  tasks.emplace_back([&s](Evaluator& e) {
    std::vector<Question> asked = questions(s);
    for (Question& q : asked) q.cluster.nodes = std::max(1, s.cluster.nodes);
    (void)growth_report(e, s, asked);
  });
  for (const Question& q : questions(s)) {
    if (answered)
      tasks.emplace_back([&goal, q, found](Evaluator& e) {
        const int nodes = found(e, q);
        (void)changes(e, std::vector{q}, goal, nodes);
      });
    for (const Question& part : one_by_one(q)) {
      tasks.emplace_back([&s, q, part, found](Evaluator& e) {
        WorkloadResult unused;
        describe(e, s, part.workload, found(e, q), unused);
      });
    }
    for (const std::string& node : goal.alternatives)
      tasks.emplace_back([&goal, &node, q](Evaluator& e) { (void)alternative(e, q, goal, node); });
    if (!answered) continue;
    tasks.emplace_back([&goal, q, found](Evaluator& e) {
      const int nodes = found(e, q);
      TrainingDemand demand{e, q, goal.deadline};
      (void)why_not_fewer(demand, nodes);
      (void)confident(e, std::vector{q}, goal, nodes);
    });
  }
  return tasks;
}

}  // namespace

Result size(const Scenario& asked, const Catalog& catalog, const RunControl& control) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  if (!scenario.goal) {
    scenario.text.fail("`rackcast size` needs a \"goal\"",
                       "add \"goal\": { \"deadline\": \"14 days\" }, or use `rackcast simulate`");
  }
  Evaluator evaluator{catalog, control, scenario};
  Result result;
  result.kind = "size";
  result.scenario = scenario;
  result.plan = make_plan(evaluator, scenario, control, result.scenario);
  const Scenario& chosen = result.scenario;
  if (result.plan->nearest) {
    try {
      check_failures(evaluator, chosen, chosen.cluster.nodes);
    } catch (const LimitReached&) {  // `partial` says so
    }
  }
  if (asks_for_nodes(scenario)) evaluator.rehearse(rest_of_answer(chosen, result.plan->chosen.has_value()));
  size_each(evaluator, result);
  if (chosen.adds_up()) size_together(evaluator, result);
  answer_size(evaluator, result);
  try {
    if (result.plan->chosen) result.plan->confident = confident_plan(evaluator, chosen);
  } catch (const LimitReached&) {  // `partial` says so
  }
  finish(result, evaluator);
  try {
    if (!result.partial) result.plan->what_if = what_if(evaluator, scenario, control);
  } catch (const LimitReached&) {  // the answer stands without
  }
  return result;
}

namespace {

/// What the slow nodes cost, if there are any.
void add_without_stragglers(Evaluator& evaluator, Question q, double now, Answer& a) {
  if (q.cluster.stragglers.empty() || now <= 0) return;
  q.cluster.stragglers.clear();
  const double then = evaluator.time_to_train(q).base();
  a.changes.push_back({"cluster.stragglers", "as fast as the others",
                       doc::Reason{"without_slow_nodes", {{"time_s", then}, {"now_s", now}}},
                       q.cluster.nodes});
}

/// What all workloads one after another take, beside what each takes.
void simulate_together(Evaluator& evaluator, Result& result) {
  const Question q = questions(result.scenario).front();
  try {
    result.sensitivity = sensitivity(evaluator, result.scenario, q);
    result.answer.changes.clear();
    add_without_stragglers(evaluator, q, result.prediction.time_to_train.value, result.answer);
  } catch (const LimitReached&) {  // `partial` says so
  }
}

/// What the cluster breaks of the site, for each question about workloads that are otherwise answered.
void add_site_limits(Evaluator& evaluator, Result& result) {
  if (!result.scenario.site) return;
  std::size_t next = 0;
  for (const Question& q : questions(result.scenario)) {
    const std::size_t first = next;
    next += 1 + q.then.size();
    const auto own = std::span{result.workloads}.subspan(first, next - first);
    if (!std::ranges::all_of(own, [](const WorkloadResult& w) { return w.answer.feasible; })) continue;
    std::vector<Conflict> broken;
    try {
      broken = site_limits(evaluator, q);
    } catch (const LimitReached&) {  // `partial` says so
    }
    if (broken.empty()) continue;
    for (WorkloadResult& w : own) {
      w.answer.feasible = false;
      w.answer.conflicts = broken;
      w.answer.binding_constraint = to_string(broken.front().limit);
    }
  }
}

}  // namespace

Result simulate(const Scenario& asked, const Catalog& catalog, Tracer* tracer, const RunControl& control) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog, control, scenario};
  Result result;
  result.kind = "simulate";
  result.scenario = scenario;
  for (const WorkloadSpec& spec : scenario.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    const int gpus = scenario.cluster.gpus_per_job.value_or(scenario.cluster.nodes *
                                                            evaluator.node(scenario.cluster).gpus);
    check_split(spec, gpus);
    try {
      check_failures(evaluator, scenario, scenario.cluster.nodes);
      if (tracer && scenario.workloads.size() > 1) tracer->begin_part(spec.model + ": ");
      if (tracer) evaluator.run(question(scenario, spec), tracer);
      describe(evaluator, scenario, spec, scenario.cluster.nodes, w);
    } catch (const LimitReached&) {
    }
    if (w.prediction.time_to_train.unit.empty()) {
      stop(w, spec, evaluator);
      continue;
    }
    w.answer.feasible = true;
    w.answer.binding_constraint = w.run.binds;
    try {
      add_without_stragglers(evaluator, question(scenario, spec), w.prediction.time_to_train.value, w.answer);
    } catch (const LimitReached&) {  // `partial` says so
    }
    w.answer.conflicts = fixed_conflicts(evaluator, question(scenario, spec));
    if (!w.answer.conflicts.empty()) {
      w.answer.feasible = false;
      w.answer.binding_constraint = to_string(w.answer.conflicts.front().limit);
    }
  }
  add_site_limits(evaluator, result);
  answer_simulation(evaluator, result);
  if (scenario.adds_up()) simulate_together(evaluator, result);
  finish(result, evaluator);
  return result;
}

void check_names(const Scenario& asked, const Catalog& catalog) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog, {}, scenario};
  evaluator.node(scenario.cluster);
  if (scenario.site) check_site_names(catalog, *scenario.site);
  for (const WorkloadSpec& w : scenario.workloads) {
    evaluator.workload(w);
    if (w.graph) check_recorded_on(*w.graph, catalog);
  }
  for (const PublishedRow& row : scenario.published) evaluator.node(row.cluster);
  if (scenario.storage.array != "none")
    evaluator.storage_capacity(question(scenario, scenario.workloads.front()));
  if (!scenario.goal) {
    for (const WorkloadSpec& w : scenario.workloads)
      if (const auto refusal = evaluator.precision_refusal(scenario.cluster, w)) throw Error{*refusal};
    return;
  }
  (void)plan_space(evaluator, scenario);
  for (const std::string& node : scenario.goal->alternatives) {
    ClusterSpec cluster = scenario.cluster;
    cluster.node = node;
    cluster.gpu.clear();
    cluster.gpus_per_node.reset();
    cluster.fabric = cluster.fabric.for_another_node();
    cluster.where = scenario.goal->where;
    evaluator.node(cluster);
  }
}

}  // namespace rackcast
