#include "scenarios/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "scenarios/describe.hpp"
#include "scenarios/evaluator.hpp"
#include "scenarios/growth_report.hpp"
#include "scenarios/neighbours.hpp"
#include "scenarios/plan/design.hpp"
#include "scenarios/plan/front_intervals.hpp"
#include "scenarios/search.hpp"
#include "sim/quantity_text.hpp"
#include "sim/table_document.hpp"
#include "sim/trace.hpp"

namespace rackcast {

namespace {

void describe_answer(Answer& a, const WorkloadResult& w, const Duration deadline) {
  a.statement =
      fmt::format("{} x {} ({} GPUs) train {} in {}, bound by {}; the deadline is {}.",
                  with_spares(a.nodes, a.spares), a.node_title, a.gpus, w.title,
                  to_text(Duration{w.prediction.time_to_train.value}), w.run.binds, to_text(deadline));
}

/// A limit has ended the work on a workload: says so, and what has been found.
void stop(WorkloadResult& w, const WorkloadSpec& spec, const Evaluator& evaluator) {
  w.spec = spec;
  if (!w.answer.statement.empty()) return;
  w.answer.workload = spec.model;
  w.answer.binding_constraint = "limit";
  w.answer.statement = fmt::format("A limit ended the simulation of {}.", spec.model);
  std::string known;
  for (const auto& [nodes, time] : evaluator.known_times()) {
    known += fmt::format("{}{} takes {}", known.empty() ? "" : "; ", count_of(nodes, "node"), to_text(time));
  }
  w.answer.statement += known.empty() ? " No step was over." : " Known by then: " + known + ".";
}

void size_workload(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec, WorkloadResult& w) {
  const GoalSpec& goal = *s.goal;
  Question q = question(s, spec);
  const Found found = find_nodes(evaluator, q, goal.deadline, goal.max_nodes);
  describe(evaluator, s, spec, std::max(1, found.nodes), w);
  w.answer.feasible = found.feasible;
  w.answer.conflicts = found.conflicts;
  if (found.feasible) {
    describe_answer(w.answer, w, goal.deadline);
    w.answer.why_not_fewer = why_not_fewer(evaluator, q, found.nodes, goal.deadline);
    w.answer.binding_constraint =
        w.answer.why_not_fewer ? w.answer.why_not_fewer->fails : std::string{constraint::one_node};
    w.answer.changes = changes(evaluator, q, goal, found.nodes);
    if (w.answer.binding_constraint == constraint::gpu_memory) {
      w.answer.statement +=
          fmt::format(" Memory binds and not the deadline: {} at least.", count_of(found.nodes, "node"));
      std::ranges::move(memory_changes(evaluator, q, goal, found.nodes),
                        std::back_inserter(w.answer.changes));
    }
    w.answer.changes.push_back(confident(evaluator, q, goal, found.nodes));
  } else {
    w.answer.binding_constraint = found.conflicts.front().constraint;
    w.answer.statement = found.conflicts.front().statement;
    if (w.answer.binding_constraint == constraint::gpu_memory)
      w.answer.changes = memory_changes(evaluator, q, goal, std::nullopt);
  }
  for (const std::string& node : goal.alternatives) {
    w.alternatives.push_back(alternative(evaluator, q, goal, node));
  }
}

/// The workload on the size that the planner chose for all of them.
void describe_chosen(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec,
                     const PlanReport& plan, WorkloadResult& w) {
  describe(evaluator, s, spec, s.cluster.nodes, w);
  w.answer.feasible = plan.chosen.has_value();
  if (!plan.chosen) {
    w.answer.statement = plan.statement;
    if (!plan.conflicts.empty()) w.answer.binding_constraint = plan.conflicts.front().limit;
    return;
  }
  w.answer.binding_constraint = plan.smaller && !plan.smaller->breaks.empty()
                                    ? plan.smaller->breaks.front()
                                    : std::string{to_string(plan.objective)};
  describe_answer(w.answer, w, s.goal->deadline);
}

/// Where the smallest count of nodes is the question, each workload has one of its own.
bool asks_for_nodes(const Scenario& s) {
  return s.goal->objective == Objective::fewest_nodes && s.search.nodes.empty() &&
         s.search.gpus_per_job.empty() && !s.cluster.gpus_per_job;
}

/// What the planner says stands above what the workloads say, each on its own.
void take_over(Result& result) {
  const PlanReport& plan = *result.plan;
  Answer& a = result.answer;
  if (plan.chosen) {
    const PlanCandidate& c = *plan.chosen;
    if (a.feasible && a.nodes == c.nodes) {
      if (plan.objective != Objective::fewest_nodes) a.statement = plan.statement + " " + a.statement;
      return;
    }
    a.feasible = true;
    a.nodes = c.nodes;
    a.gpus = c.gpus;
    a.spares = c.spares;
    a.node = c.node;
    a.node_title = c.node_title;
    a.rack_units = c.rack_units;
    a.power_kw = c.nameplate ? std::optional(c.nameplate->base() / 1000) : std::nullopt;
    a.statement = plan.statement;
  } else if (!plan.conflicts.empty()) {
    a.feasible = false;
    a.why_not_fewer.reset();
    if (!a.conflicts.empty() && plan.conflicts.size() == 1) return;  // they say more than the limit's name
    if (a.conflicts.empty()) {
      a.statement = plan.statement;
      if (plan.conflicts.size() == 1) a.statement += " " + plan.conflicts.front().statement;
      a.binding_constraint = plan.conflicts.front().limit;
    } else {
      a.statement = plan.statement + " " + a.statement;
    }
    a.conflicts.clear();
    for (const PlanConflict& c : plan.conflicts)
      a.conflicts.push_back({c.limit, c.allowed, c.needed, c.statement});
  }
}

/// The whole answer: the cluster must do for every workload, so the hungriest one decides.
void choose(Result& result) {
  const auto hungrier = [](const WorkloadResult& a, const WorkloadResult& b) {
    if (a.answer.feasible != b.answer.feasible) return a.answer.feasible;
    return a.answer.nodes < b.answer.nodes;
  };
  const auto& w = *std::max_element(result.workloads.begin(), result.workloads.end(), hungrier);
  result.answer = w.answer;
  result.prediction = w.prediction;
}

void finish(Result& result, Evaluator& evaluator) {
  const auto chosen = std::ranges::find(result.workloads, result.answer.workload,
                                        [](const WorkloadResult& w) { return w.spec.model; });
  // As the scenario has it: its global batch may be dealt out to another number of GPUs here.
  const auto asked =
      std::ranges::find(result.scenario.workloads, result.answer.workload, &WorkloadSpec::model);
  if (chosen != result.workloads.end()) {
    Question q = question(result.scenario, *asked);
    q.cluster.nodes = std::max(1, result.answer.nodes);
    try {
      result.growth = growth_report(evaluator, result.scenario, q);
      result.site = site_report(evaluator, evaluator.catalog(), result.scenario, q);
    } catch (const LimitReached&) {
      result.growth.reset();  // `partial` says so
    }
  }
  if (chosen != result.workloads.end()) {
    Question q = question(result.scenario, *asked);
    q.cluster.nodes = std::max(1, result.answer.nodes);
    result.drawings = machine_drawings(evaluator.cluster(q));
  }
  result.assumptions = evaluator.assumptions();
  try {
    if (result.plan) add_time_intervals(evaluator, *result.plan, result.plan->front);
  } catch (const LimitReached&) {  // the front stands without intervals
  }
  if (result.site) std::ranges::copy(result.site->assumptions(), std::back_inserter(result.assumptions));
  result.warnings = evaluator.warnings();
  for (const WorkloadResult& w : result.workloads)
    if (w.run.period == 0 && !w.run.partial)
      result.warnings.push_back(w.title + ": " + repetition_note(w.run));
  for (const WorkloadResult& w : result.workloads)
    if (w.batch.largest_useful && w.global_batch > *w.batch.largest_useful * (1 + 1e-9))
      result.warnings.push_back(fmt::format(
          "{}: a step takes {}, past the largest useful batch of {} samples: more in a step do not "
          "train faster. {}",
          w.title, w.batch.text, grouped(*w.batch.largest_useful),
          w.batch.stated ? "State a smaller \"global_batch\"."
                         : "Use fewer GPUs, or state \"global_batch\"."));
  result.partial = evaluator.partial();
  if (result.partial) {
    result.warnings.emplace_back(
        "partial: a limit ended the simulation; a figure without an interval was not varied");
  }
}

/// What size() will ask of the chosen cluster, piece by piece, so that threads may simulate it ahead.
std::vector<Evaluator::Task> rest_of_answer(const Scenario& s) {
  std::vector<Evaluator::Task> tasks;
  const GoalSpec& goal = *s.goal;
  const auto found = [&s, &goal](Evaluator& e, const WorkloadSpec& w) {
    const Found it = find_nodes(e, question(s, w), goal.deadline, goal.max_nodes);
    return it.feasible ? it.nodes : s.cluster.nodes;
  };
  for (const WorkloadSpec& w : s.workloads) {
    tasks.emplace_back([&s, &w, found](Evaluator& e) {
      const int nodes = found(e, w);  // growth is that of the hungriest
      for (const WorkloadSpec& other : s.workloads)
        if (found(e, other) > nodes) return;
      Question q = question(s, w);
      q.cluster.nodes = std::max(1, s.cluster.nodes);
      (void)growth_report(e, s, q);
    });
    tasks.emplace_back([&s, &w, &goal, found](Evaluator& e) {
      const int nodes = found(e, w);
      (void)changes(e, question(s, w), goal, nodes);
    });
    tasks.emplace_back([&s, &w, found](Evaluator& e) {
      WorkloadResult unused;
      describe(e, s, w, found(e, w), unused);
    });
    tasks.emplace_back([&s, &w, &goal, found](Evaluator& e) {
      const int nodes = found(e, w);
      (void)why_not_fewer(e, question(s, w), nodes, goal.deadline);
      (void)confident(e, question(s, w), goal, nodes);
    });
    for (const std::string& node : goal.alternatives)
      tasks.emplace_back(
          [&s, &w, &goal, &node](Evaluator& e) { (void)alternative(e, question(s, w), goal, node); });
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
  Evaluator evaluator{catalog, control, scenario.calibration};
  Result result;
  result.kind = "size";
  result.scenario = scenario;
  result.plan = make_plan(evaluator, scenario, control, result.scenario);
  const Scenario& chosen = result.scenario;
  if (asks_for_nodes(scenario)) evaluator.rehearse(rest_of_answer(chosen));
  for (const WorkloadSpec& spec : chosen.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    try {
      if (asks_for_nodes(scenario)) {
        size_workload(evaluator, chosen, spec, w);
      } else {
        describe_chosen(evaluator, chosen, spec, *result.plan, w);
      }
    } catch (const LimitReached&) {
      stop(w, spec, evaluator);
    }
  }
  choose(result);
  take_over(result);
  finish(result, evaluator);
  return result;
}

namespace {

/// What the slow nodes cost, if there are any.
void add_without_stragglers(Evaluator& evaluator, Question q, WorkloadResult& w) {
  if (q.cluster.stragglers.empty()) return;
  q.cluster.stragglers.clear();
  const double now = w.prediction.time_to_train.value, then = evaluator.time_to_train(q).base();
  w.answer.changes.push_back({"cluster.stragglers", "as fast as the others",
                              fmt::format("Without slow nodes it takes {}, {:.1f} % less.",
                                          to_text(Duration{then}), 100 * (1 - then / now)),
                              q.cluster.nodes});
}

}  // namespace

Result simulate(const Scenario& asked, const Catalog& catalog, Tracer* tracer, const RunControl& control) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog, control, scenario.calibration};
  Result result;
  result.kind = "simulate";
  result.scenario = scenario;
  for (const WorkloadSpec& spec : scenario.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    const int gpus = scenario.cluster.gpus_per_job.value_or(scenario.cluster.nodes *
                                                            evaluator.node(scenario.cluster).gpus);
    check_split(spec, gpus);
    try {
      if (tracer && scenario.workloads.size() > 1) tracer->begin_part(spec.model + ": ");
      if (tracer) evaluator.run(question(scenario, spec), tracer);
      describe(evaluator, scenario, spec, scenario.cluster.nodes, w);
      w.ladder.back().how = "given by the scenario";
    } catch (const LimitReached&) {
    }
    if (w.prediction.time_to_train.unit.empty()) {
      stop(w, spec, evaluator);
      continue;
    }
    w.answer.feasible = true;
    w.answer.binding_constraint = w.run.binds;
    add_without_stragglers(evaluator, question(scenario, spec), w);
    w.answer.conflicts = fixed_conflicts(evaluator, question(scenario, spec));
    if (!w.answer.conflicts.empty()) {
      w.answer.feasible = false;
      w.answer.binding_constraint = w.answer.conflicts.front().constraint;
      w.answer.statement = w.answer.conflicts.front().statement;
      continue;
    }
    w.answer.statement =
        fmt::format("{} x {} ({} GPUs) train {} in {}, bound by {}.",
                    with_spares(w.answer.nodes, w.answer.spares), w.answer.node_title, w.answer.gpus, w.title,
                    to_text(Duration{w.prediction.time_to_train.value}), w.run.binds);
  }
  choose(result);
  finish(result, evaluator);
  return result;
}

void check_names(const Scenario& asked, const Catalog& catalog) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog, {}, scenario.calibration};
  evaluator.node(scenario.cluster);
  if (scenario.site) check_site_names(catalog, *scenario.site);
  for (const WorkloadSpec& w : scenario.workloads) evaluator.workload(w);
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
    cluster.fabric = cluster.fabric.for_another_node();
    cluster.where = scenario.goal->where;
    evaluator.node(cluster);
  }
}

}  // namespace rackcast
