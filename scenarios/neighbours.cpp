#include "scenarios/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/describe.hpp"
#include "scenarios/search.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

/// Quantiles of the normal distribution.
constexpr double kNinetyOfAll = 1.2816, kNinetyFiveOfAll = 1.645;

}  // namespace

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
  int fails = nodes - 1, enough = nodes;
  while (!met(enough)) {
    if (enough >= goal.max_nodes) return row;
    fails = enough;
    enough = std::min(2 * enough, goal.max_nodes);
  }
  while (enough - fails > 1) {
    const int middle = fails + (enough - fails) / 2;
    (met(middle) ? enough : fails) = middle;
  }
  row.nodes = enough;
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
  out.rack_units = found.nodes * node.rack_units;
  out.power_kw = found.nodes * node.max_power.base() / 1000;
  out.binding_constraint = evaluator.run(q).binds;
  out.statement =
      fmt::format("{}, bound by {}", to_text(Duration{out.time_to_train.value}), out.binding_constraint);
  return out;
}

std::optional<Smaller> why_not_fewer(Evaluator& evaluator, Question q, int nodes, Duration deadline) {
  if (nodes <= 1) return std::nullopt;
  q.cluster.nodes = nodes - 1;
  const Prediction p = evaluator.predict(q);
  if (const auto conflict = memory_conflict(evaluator, q))
    return Smaller{nodes - 1, conflict->constraint,
                   count_of(nodes - 1, "node") + " would not hold it. " + conflict->statement,
                   p.time_to_train};
  const Duration time{p.time_to_train.value};
  return Smaller{nodes - 1, constraint::deadline,
                 fmt::format("{} would take {}: {} past the deadline of {}.", count_of(nodes - 1, "node"),
                             to_text(time), to_text(time - deadline), to_text(deadline)),
                 p.time_to_train};
}

}  // namespace rackcast
