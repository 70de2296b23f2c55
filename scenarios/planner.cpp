#include "scenarios/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/gpu_cost.hpp"
#include "scenarios/evaluator.hpp"
#include "scenarios/growth_report.hpp"
#include "scenarios/search.hpp"
#include "sim/quantity_text.hpp"
#include "sim/table_document.hpp"

namespace rackcast {

namespace {

std::string count_of(double n, const char* what) {
  return fmt::format("{:.0f} {}{}", n, what, n == 1 ? "" : "s");
}

Question question(const Scenario& s, const WorkloadSpec& w) {
  Question q{s.cluster, w, std::nullopt, s.data.samples, s.data.bytes_per_sample, s.storage, s.input};
  q.stored_factor = s.data.stored_factor();
  return q;
}

/// Data -> samples -> steps -> work -> time -> nodes, each with how it came about.
std::vector<LadderRow> ladder(const Scenario& s, const WorkloadResult& w, Evaluator& evaluator) {
  std::vector<LadderRow> rows;
  const auto add = [&rows](std::string label, double value, std::string unit, std::string text,
                           std::string how) {
    rows.push_back({std::move(label), std::move(unit), std::move(text), std::move(how), value});
  };
  const DataSpec& d = s.data;
  std::string how = "given by the scenario";
  if (d.learning) {
    how = fmt::format(
        "an error of {:g} on the learning curve {:.3g} x samples^-{:.3g} + {:.3g}, {:.3g} times the largest "
        "point",
        d.learning->target, d.learning->curve.a, d.learning->curve.b, d.learning->curve.c,
        d.learning->needed.beyond);
  }
  if (d.fleet) {
    how = fmt::format("{:g} vehicles x {:g} TB/h x {:g} h x {:g} days x {:g} kept", d.fleet->vehicles,
                      d.fleet->capture_rate.base() * 3600 / 1e12, d.fleet->recording_per_day.base() / 3600,
                      d.fleet->days, d.fleet->kept);
    if (d.date) how = fmt::format("usable {} after the first recording day", to_text(*d.date));
  }
  add("Data set", d.size.base(), "B", to_text(d.size), how);
  add("Samples", d.samples, "1", grouped(d.samples),
      fmt::format("{} / {} per sample", to_text(d.size), to_text(d.bytes_per_sample)));
  const double seen = d.samples * w.spec.epochs;
  add("Samples seen", seen, "1", grouped(seen), fmt::format("{:g} epochs", w.spec.epochs));
  const Flop work = 3 * seen * w.forward_flop;
  add("Arithmetic", work.base(), "FLOP", to_text(work),
      fmt::format("3 x {} forward per sample: forward, data gradient, weight gradient",
                  to_text(w.forward_flop)));
  Question one = question(s, w.spec);
  one.cluster.nodes = 1;
  one.gpus = 1;
  const double rate = evaluator.run(one).samples_per_step / evaluator.run(one).parts.total.base();
  const Duration gpu_time{seen / rate};
  add("Time on one GPU", gpu_time.base(), "s", to_text(gpu_time),
      fmt::format("{:.0f} samples/s, simulated on one GPU of the node, input path included", rate));
  add("Optimizer steps", w.steps, "1", grouped(w.steps),
      fmt::format("global batch {} = {:g} per GPU x {} GPUs", grouped(w.global_batch), w.spec.batch_per_gpu,
                  w.answer.gpus));
  add("Time to train", w.prediction.time_to_train.value, "s",
      to_text(Duration{w.prediction.time_to_train.value}),
      fmt::format("{} steps x {}", grouped(w.steps), to_text(w.run.parts.total)));
  add("Nodes", w.answer.nodes, "1", count_of(w.answer.nodes, "node"),
      s.goal ? fmt::format("smallest count within {}", to_text(s.goal->deadline)) : "given by the scenario");
  return rows;
}

std::string step_statement(const TrainingRun& run) {
  const StepParts& p = run.parts;
  return fmt::format(
      "One step takes {}; it is bound by {}. {:.0f} % of the all-reduce is hidden behind back-propagation.",
      to_text(p.total), run.binds,
      p.exchange_busy.base() > 0 ? 100 * std::max(0.0, 1 - p.exchange_wait / p.exchange_busy) : 100.0);
}

std::vector<ScalingRow> scaling(Evaluator& evaluator, Question q, int nodes) {
  std::vector<int> counts;
  for (int n = 1; n < nodes; n *= 2) counts.push_back(n);
  counts.push_back(nodes);
  counts.push_back(2 * nodes);
  std::vector<ScalingRow> rows;
  for (const int n : counts) {
    q.cluster.nodes = n;
    const TrainingRun& run = evaluator.run(q);
    rows.push_back({n, run.ranks, evaluator.predict(q), run.binds});
  }
  return rows;
}

std::vector<PublishedComparison> compare(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& w) {
  std::vector<PublishedComparison> rows;
  for (const PublishedRow& published : s.published) {
    if (published.model != w.model) continue;
    Question q = question(s, w);
    q.cluster = published.cluster;
    q.gpus = published.gpus;
    if (published.precision) q.workload.precision = *published.precision;
    const Prediction p = evaluator.predict(q);
    rows.push_back({published, p.time_to_train, p.time_to_train.value / published.time.base(),
                    p.scaling_efficiency.value, evaluator.run(q).ranks});
  }
  return rows;
}

/// The answer's neighbours in the space of assumptions: each row changes one input and searches again.
std::vector<Change> changes(Evaluator& evaluator, const Question& q, const GoalSpec& goal, int nodes) {
  std::vector<Change> rows;
  const auto add = [&](const char* input, std::string change, const Question& varied, Duration deadline) {
    const Found found = find_nodes(evaluator, varied, deadline, goal.max_nodes);
    Change row{input, std::move(change), {}, std::nullopt};
    if (found.feasible) row.nodes = found.nodes;
    row.statement = found.feasible ? fmt::format("instead of {}", nodes)
                                   : "infeasible: " + found.conflicts.front().statement;
    rows.push_back(std::move(row));
  };
  add("deadline", to_text(goal.deadline / 2), q, goal.deadline / 2);
  add("deadline", to_text(goal.deadline * 2), q, goal.deadline * 2);
  Question varied = q;
  varied.workload.epochs *= 0.75;
  add("epochs", fmt::format("{:g} (a quarter less)", varied.workload.epochs), varied, goal.deadline);
  varied = q;
  varied.samples *= 2;
  if (q.storage.array != "none") varied.storage.count *= 2;  // a larger set comes with its storage
  add("data", "twice as much, on twice the storage", varied, goal.deadline);
  varied = q;
  varied.workload.precision = q.workload.precision == Precision::fp32 ? Precision::mixed : Precision::fp32;
  add("precision", std::string(to_string(varied.workload.precision)), varied, goal.deadline);
  return rows;
}

Alternative alternative(Evaluator& evaluator, Question q, const GoalSpec& goal, const std::string& node_id) {
  q.cluster.node = node_id;
  q.cluster.gpu.clear();
  q.cluster.fabric = q.cluster.fabric.for_another_node();
  const NodeFacts node = evaluator.node(q.cluster);
  Alternative out;
  out.node = node.id;
  out.title = node.title;
  const Found found = find_nodes(evaluator, q, goal.deadline, goal.max_nodes);
  out.feasible = found.feasible;
  if (!found.feasible) {
    out.binding_constraint = found.conflicts.front().constraint;
    out.statement = found.conflicts.front().statement;
    return out;
  }
  q.cluster.nodes = found.nodes;
  out.nodes = found.nodes;
  out.gpus = found.nodes * node.gpus;
  out.time_to_train = evaluator.predict(q).time_to_train;
  out.rack_units = found.nodes * node.rack_units;
  out.power_kw = found.nodes * node.max_power.base() / 1000;
  out.binding_constraint = evaluator.run(q).binds;
  out.statement =
      fmt::format("{}, bound by {}", to_text(Duration{out.time_to_train.value}), out.binding_constraint);
  return out;
}

void describe_answer(Answer& a, const WorkloadResult& w, const Duration deadline) {
  a.statement = fmt::format(
      "{} x {} ({} GPUs) train {} in {}, bound by {}; the deadline is {}.", a.nodes, a.node_title, a.gpus,
      w.title, to_text(Duration{w.prediction.time_to_train.value}), w.run.binds, to_text(deadline));
}

std::optional<Smaller> why_not_fewer(Evaluator& evaluator, Question q, int nodes, Duration deadline) {
  if (nodes <= 1) return std::nullopt;
  q.cluster.nodes = nodes - 1;
  const Prediction p = evaluator.predict(q);
  const Duration time{p.time_to_train.value};
  return Smaller{nodes - 1, constraint::deadline,
                 fmt::format("{} would take {}: {} past the deadline of {}.", count_of(nodes - 1, "node"),
                             to_text(time), to_text(time - deadline), to_text(deadline)),
                 p.time_to_train};
}

/// A prediction without intervals, as long as nothing has been varied.
Prediction point_prediction(Evaluator& evaluator, const Question& q) {
  const TrainingRun& run = evaluator.run(q);
  const double time = evaluator.time_to_train(q).base();
  const double step = run.parts.total.base();
  const double rate = run.samples_per_step / step;
  Prediction p;
  p.time_to_train = {time, time, time, "s"};
  p.samples_per_s = {rate, rate, rate, "1/s"};
  p.step_time = {step, step, step, "s"};
  return p;
}

/// Fills in one thing after the other, so that what there is stands if a limit ends the simulation.
void describe(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec, int nodes,
              WorkloadResult& w) {
  w.spec = spec;
  const Workload& workload = evaluator.workload(spec);
  w.title = workload.title;
  w.parameters = workload.parameters();
  w.forward_flop = workload.forward_flop();
  w.samples = s.data.samples;
  Question q = question(s, spec);
  q.cluster.nodes = nodes;
  const NodeFacts node = evaluator.node(q.cluster);
  w.run = evaluator.run(q);
  w.global_batch = w.run.samples_per_step;
  w.steps = evaluator.steps(q);
  w.step_statement = step_statement(w.run);
  w.answer.nodes = nodes;
  w.answer.gpus = w.run.ranks;
  w.answer.node = node.id;
  w.answer.node_title = node.title;
  w.answer.workload = spec.model;
  w.answer.rack_units = nodes * node.rack_units;
  w.answer.power_kw = nodes * node.max_power.base() / 1000;
  w.prediction = point_prediction(evaluator, q);
  w.prediction = evaluator.predict(q);
  w.scaling = scaling(evaluator, q, nodes);
  w.published = compare(evaluator, s, spec);
  w.ladder = ladder(s, w, evaluator);
  w.input = evaluator.input(q);
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
    w.answer.binding_constraint = found.nodes > 1 ? constraint::deadline : constraint::one_node;
    describe_answer(w.answer, w, goal.deadline);
    w.answer.why_not_fewer = why_not_fewer(evaluator, q, found.nodes, goal.deadline);
    w.answer.changes = changes(evaluator, q, goal, found.nodes);
  } else {
    w.answer.binding_constraint = found.conflicts.front().constraint;
    w.answer.statement = found.conflicts.front().statement;
  }
  for (const std::string& node : goal.alternatives) {
    w.alternatives.push_back(alternative(evaluator, q, goal, node));
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
  if (chosen != result.workloads.end()) {
    Question q = question(result.scenario, chosen->spec);
    q.cluster.nodes = std::max(1, result.answer.nodes);
    try {
      result.growth = growth_report(evaluator, result.scenario, q);
    } catch (const LimitReached&) {
      result.growth.reset();  // `partial` says so
    }
  }
  result.assumptions = evaluator.assumptions();
  result.warnings = evaluator.warnings();
  result.partial = evaluator.partial();
  if (result.partial) {
    result.warnings.emplace_back(
        "partial: a limit ended the simulation; a figure without an interval was not varied");
  }
}

}  // namespace

Result size(const Scenario& asked, const Catalog& catalog, const RunControl& control) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  if (!scenario.goal) {
    scenario.text.fail("`rackcast size` needs a \"goal\"",
                       "add \"goal\": { \"deadline\": \"14 days\" }, or use `rackcast simulate`");
  }
  Evaluator evaluator{catalog, control};
  Result result;
  result.kind = "size";
  result.scenario = scenario;
  for (const WorkloadSpec& spec : scenario.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    try {
      size_workload(evaluator, scenario, spec, w);
    } catch (const LimitReached&) {
      stop(w, spec, evaluator);
    }
  }
  choose(result);
  finish(result, evaluator);
  return result;
}

Result simulate(const Scenario& asked, const Catalog& catalog, Tracer* tracer, const RunControl& control) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog, control};
  Result result;
  result.kind = "simulate";
  result.scenario = scenario;
  for (const WorkloadSpec& spec : scenario.workloads) {
    WorkloadResult& w = result.workloads.emplace_back();
    try {
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
    if (const auto conflict = storage_conflict(evaluator, question(scenario, spec))) {
      w.answer.feasible = false;
      w.answer.conflicts.push_back(*conflict);
      w.answer.binding_constraint = conflict->constraint;
      w.answer.statement = conflict->statement;
      continue;
    }
    w.answer.statement =
        fmt::format("{} x {} ({} GPUs) train {} in {}, bound by {}.", w.answer.nodes, w.answer.node_title,
                    w.answer.gpus, w.title, to_text(Duration{w.prediction.time_to_train.value}), w.run.binds);
  }
  choose(result);
  finish(result, evaluator);
  return result;
}

void check_names(const Scenario& asked, const Catalog& catalog) {
  const Scenario scenario = resolve_clusters(asked, catalog);
  Evaluator evaluator{catalog};
  evaluator.node(scenario.cluster);
  for (const WorkloadSpec& w : scenario.workloads) evaluator.workload(w);
  for (const PublishedRow& row : scenario.published) evaluator.node(row.cluster);
  if (scenario.storage.array != "none")
    evaluator.storage_capacity(question(scenario, scenario.workloads.front()));
  if (!scenario.goal) return;
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
