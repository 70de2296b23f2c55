#include "scenarios/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/describe.hpp"
#include "scenarios/node_counts.hpp"
#include "scenarios/parallelism.hpp"
#include "scenarios/search.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

/// Quantiles of the normal distribution.
constexpr double kNinetyOfAll = 1.2816, kNinetyFiveOfAll = 1.645;

/// A workload that takes less memory, and what was changed for it.
struct Leaner {
  const char* input;
  std::string change;
  WorkloadSpec workload;
};

std::vector<Leaner> leaner(const WorkloadSpec& own, int gpus_per_node) {
  std::vector<Leaner> out;
  const auto add = [&](const char* input, std::string change, auto&& apply) {
    WorkloadSpec changed = own;
    apply(changed);
    out.push_back({input, std::move(change), std::move(changed)});
  };
  if (!own.parallelism) {
    if (own.batch_per_gpu > 1 && !(own.global_batch && own.batch_is_default))
      add("batch_per_gpu", fmt::format("{:.0f}", std::floor(own.batch_per_gpu / 2)),
          [](WorkloadSpec& w) { w.batch_per_gpu = std::floor(w.batch_per_gpu / 2); });
    return out;
  }
  const ParallelSpec& p = *own.parallelism;
  const int last_stage = p.pipeline > 1 || p.expert > 1 ? 1 : 3;  // beyond it there is no model
  for (int stage = p.zero_stage + 1; stage <= last_stage; ++stage)
    add("zero_stage", fmt::format("{}", stage), [=](WorkloadSpec& w) { w.parallelism->zero_stage = stage; });
  if (!p.recompute) add("recompute", "true", [](WorkloadSpec& w) { w.parallelism->recompute = true; });
  if (p.micro_batch % 2 == 0)  // the batch stays
    add("micro_batch", fmt::format("{}, twice as many of them", p.micro_batch / 2), [](WorkloadSpec& w) {
      w.parallelism->micro_batch /= 2;
      w.parallelism->micro_batches *= 2;
    });
  if (2 * p.tensor <= gpus_per_node)
    add("tensor", fmt::format("{}", 2 * p.tensor), [](WorkloadSpec& w) { w.parallelism->tensor *= 2; });
  return out;
}

}  // namespace

std::vector<Change> memory_changes(Evaluator& evaluator, const Question& q, const GoalSpec& goal,
                                   std::optional<int> nodes) {
  std::vector<Change> rows;
  for (const Leaner& other : leaner(q.workload, evaluator.node(q.cluster).gpus)) {
    Question varied = q;
    varied.workload = other.workload;
    try {
      const Found found = find_nodes(evaluator, varied, goal.deadline, goal.max_nodes);
      if (!found.feasible || (nodes && found.nodes >= *nodes)) continue;
      rows.push_back({other.input, other.change,
                      nodes ? fmt::format("instead of {}: takes less memory", *nodes)
                            : std::string{"instead of none: takes less memory"},
                      found.nodes});
    } catch (const LimitReached&) {
      throw;
    } catch (const Error&) {  // a split that the network's layers or heads do not take
    }
  }
  return rows;
}

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
  Question here = q;
  here.cluster.nodes = nodes;
  if (evaluator.exchange(here).strategy == ExchangeStrategy::parameter_server) {
    varied = q;
    varied.workload.exchange = "all_reduce";
    add("exchange of gradients", "all-reduce instead of parameter servers", varied, goal.deadline);
  }
  return rows;
}

Change confident(Evaluator& evaluator, Question q, const GoalSpec& goal, int nodes) {
  const double deadline = goal.deadline.base();
  const auto time_at = [&](int n) {
    q.cluster.nodes = n;
    return evaluator.predict(q).time_to_train;
  };
  // The interval's ends are the 5 % and 95 % of a log-normal time, each side with a width of its own.
  const auto met = [&](int n) {
    const Estimate t = time_at(n);
    return t.value * std::pow(t.high / t.value, kNinetyOfAll / kNinetyFiveOfAll) <= deadline;
  };
  const Estimate expected = time_at(nodes);
  const double width = std::log(expected.high / expected.value) / kNinetyFiveOfAll;
  const double z = width > 0 ? std::log(deadline / expected.value) / width : INFINITY;
  Change row{"confidence in the deadline", "90 %", {}, std::nullopt};
  row.statement = fmt::format("instead of {}, which meet it with {:.0f} % (the model's error alone)", nodes,
                              50 * std::erfc(-z / std::sqrt(2.0)));
  const NodeCounts counts{counts_taken(evaluator, q, std::max(nodes, goal.max_nodes)), 0};
  const auto place = [&](std::ptrdiff_t i) {
    return counts.taken[static_cast<std::size_t>(i)];
  };
  const auto last = std::ssize(counts.taken) - 1;
  auto enough = static_cast<std::ptrdiff_t>(counts.up_to(nodes)), fails = enough - 1;
  while (!met(place(enough))) {
    if (enough >= last) return row;
    fails = enough;
    enough = std::max(enough + 1, static_cast<std::ptrdiff_t>(counts.up_to(2 * place(enough))));
  }
  while (enough - fails > 1) {
    const std::ptrdiff_t middle = fails + (enough - fails) / 2;
    (met(place(middle)) ? enough : fails) = middle;
  }
  row.nodes = place(enough);
  return row;
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
  out.spares = evaluator.spares(q);
  out.rack_units = units_of(node, found.nodes + out.spares);
  out.power_kw = kilowatts_of(node, found.nodes + out.spares);
  out.binding_constraint = evaluator.run(q).binds;
  out.statement =
      fmt::format("{}, bound by {}", to_text(Duration{out.time_to_train.value}), out.binding_constraint);
  return out;
}

std::optional<Smaller> why_not_fewer(Evaluator& evaluator, Question q, int nodes, Duration deadline) {
  if (nodes <= 1) return std::nullopt;
  const std::vector<int> below = counts_taken(evaluator, q, nodes - 1);
  const int fewer = below.empty() ? nodes - 1 : below.back();
  q.cluster.nodes = fewer;
  if (const auto conflict = split_conflict(evaluator, q))  // less than one copy
    return Smaller{fewer, conflict->constraint, conflict->statement, {}};
  if (below.empty()) {
    const Conflict conflict = none_taken(evaluator, q, fewer);
    return Smaller{fewer, conflict.constraint, conflict.statement, {}};
  }
  const Prediction p = evaluator.predict(q);
  if (const auto conflict = memory_conflict(evaluator, q))
    return Smaller{fewer, conflict->constraint,
                   fmt::format("Memory binds: {} at least; {} would not hold it. {}", count_of(nodes, "node"),
                               fewer, conflict->statement),
                   p.time_to_train};
  const Duration time{p.time_to_train.value};
  return Smaller{fewer, constraint::deadline,
                 fmt::format("{} would take {}: {} past the deadline of {}.", count_of(fewer, "node"),
                             to_text(time), to_text(time - deadline), to_text(deadline)),
                 p.time_to_train};
}

}  // namespace rackcast
