#include "scenarios/answer/node_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/splits/split_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

int gpus_of(Evaluator& evaluator, const Question& q) {
  const int all = q.cluster.nodes * evaluator.node(q.cluster).gpus;
  return std::min(all, q.gpus.value_or(all));
}

/// What the large tables of the network take, and how many GPUs they need.
std::vector<doc::Reason> about_tables(const Workload& workload, const MemoryOptions& memory,
                                      const MemoryUse& use, Bytes available) {
  if (!(use.tables > Bytes{0})) return {};
  return {doc::Reason{"memory_of_tables",
                      {{"tables_bytes", table_memory(workload).base()},
                       {"each_bytes", use.tables.base()},
                       {"gpus", memory.table_ways},
                       {"least_gpus", gpus_for_tables(workload, memory, available)}}}};
}

/// A split network: what its states and its activations take, and whether more GPUs would do.
doc::Reason about_split(const Question& q, const Workload& workload, const MemoryOptions& memory,
                        const MemoryUse& use, const NodeFacts& node) {
  const Mesh& p = *q.workload.parallelism;
  const auto least = p.zero_stage > 0 ? gpus_for_states(workload, memory, node.gpu_memory) : std::nullopt;
  return doc::Reason{"memory_of_split",
                     {{"workload", workload.title},
                      {"gpu", node.gpu_title},
                      {"split", split_text(p)},
                      {"zero_stage", p.zero_stage},
                      {"needed_bytes", use.total().base()},
                      {"weights_bytes", use.weights.base()},
                      {"gradients_bytes", use.gradients.base()},
                      {"optimizer_bytes", use.optimizer.base()},
                      {"activations_bytes", use.activations.base()},
                      {"micro_batch", p.micro_batch},
                      {"memory_bytes", node.gpu_memory.base()},
                      {"least_gpus", least}}};
}

doc::Reason about_batch(const Workload& workload, const MemoryOptions& memory, const MemoryUse& use,
                        const NodeFacts& node) {
  return doc::Reason{"memory_of_batch",
                     {{"workload", workload.title},
                      {"gpu", node.gpu_title},
                      {"batch", memory.batch},
                      {"needed_bytes", use.total().base()},
                      {"memory_bytes", node.gpu_memory.base()},
                      {"fits", largest_batch(workload, memory, node.gpu_memory)}},
                     about_tables(workload, memory, use, node.gpu_memory)};
}

bool holds(Evaluator& evaluator, const Question& asked) {
  return std::ranges::all_of(one_by_one(asked), [&evaluator](const Question& q) {
    return evaluator.memory_use(q).total() <= evaluator.node(q.cluster).gpu_memory;
  });
}

/// A network whose split is searched: the least that any split needs.
doc::Reason about_all_splits(const SplitChoice& choice, const Workload& workload, const NodeFacts& node,
                             int gpus) {
  const JudgedSplit& least = *choice.found.smallest;
  return doc::Reason{"memory_of_any_split",
                     {{"workload", workload.title},
                      {"gpu", node.gpu_title},
                      {"gpus", gpus},
                      {"splits", static_cast<double>(choice.found.considered)},
                      {"split", recipe_text(least.mesh)},
                      {"needed_bytes", least.memory.base()},
                      {"memory_bytes", node.gpu_memory.base()}}};
}

std::optional<Conflict> memory_conflict_alone(Evaluator& evaluator, const Question& asked) {
  const Question q = evaluator.with_split(asked);
  const NodeFacts node = evaluator.node(q.cluster);
  const Workload& workload = evaluator.workload(q.workload);
  const MemoryOptions memory = evaluator.memory(q);
  const MemoryUse use = evaluator.memory_use(q);
  if (use.total() <= node.gpu_memory) return std::nullopt;
  if (const auto choice = evaluator.split_choice(asked))
    return Conflict{Limit::gpu_memory, to_text(node.gpu_memory), to_text(use.total()),
                    about_all_splits(*choice, workload, node, gpus_of(evaluator, q))};
  return Conflict{Limit::gpu_memory, to_text(node.gpu_memory), to_text(use.total()),
                  q.workload.parallelism ? about_split(q, workload, memory, use, node)
                                         : about_batch(workload, memory, use, node)};
}

std::optional<Conflict> split_conflict_alone(Evaluator& evaluator, const Question& q) {
  const int unit = split_unit(q.workload), gpus = gpus_of(evaluator, q);
  if (gpus % unit == 0) return std::nullopt;
  return Conflict{Limit::configuration, fmt::format("a multiple of {} GPUs", unit),
                  fmt::format("{} GPUs", gpus),
                  doc::Reason{"no_multiple",
                              {{"workload", evaluator.workload(q.workload).title},
                               {"split", split_text(*q.workload.parallelism)},
                               {"gpus", gpus},
                               {"unit", unit}}}};
}

/// The first workload of the question that has a conflict of a kind.
template <class Find>
std::optional<Conflict> first_conflict(Evaluator& evaluator, const Question& asked, Find find) {
  for (const Question& q : one_by_one(asked))
    if (auto conflict = find(evaluator, q)) return conflict;
  return std::nullopt;
}

/// Nodes from one count that takes the splits of all workloads to the next; 1 for a job of a given number of
/// GPUs.
int split_step(Evaluator& evaluator, const Question& asked) {
  if (asked.gpus) return 1;
  int unit = split_unit(asked.workload);
  for (const WorkloadSpec& w : asked.then) unit = std::lcm(unit, split_unit(w));
  return unit / std::gcd(unit, std::max(1, evaluator.node(asked.cluster).gpus));
}

}  // namespace

std::size_t NodeCounts::up_to(int nodes) const {
  const auto above = std::ranges::upper_bound(taken, nodes);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, above - taken.begin() - 1));
}

std::optional<Conflict> memory_conflict(Evaluator& evaluator, const Question& asked) {
  return first_conflict(evaluator, asked, memory_conflict_alone);
}

std::optional<Conflict> split_conflict(Evaluator& evaluator, const Question& asked) {
  return first_conflict(evaluator, asked, split_conflict_alone);
}

Conflict none_taken(Evaluator& evaluator, Question asked, int max_nodes) {
  const int step = split_step(evaluator, asked);
  asked.cluster.nodes = step;
  if (const int spares = evaluator.spares(asked);
      spares > 0 && step <= max_nodes && step + spares > max_nodes)
    return {Limit::max_nodes, count_of(max_nodes, "node"), count_of(step + spares, "node"),
            doc::Reason{"spares_past_most", {{"nodes", step}, {"spares", spares}, {"max_nodes", max_nodes}}}};
  const int per_node = std::max(1, evaluator.node(asked.cluster).gpus);
  if (const int least = (asked.gpus.value_or(0) + per_node - 1) / per_node; least > max_nodes)
    return {
        Limit::max_nodes, count_of(max_nodes, "node"), count_of(least, "node"),
        doc::Reason{"job_past_most", {{"gpus", *asked.gpus}, {"nodes", least}, {"max_nodes", max_nodes}}}};
  std::vector<doc::Reason> splits, titles;
  int unit = evaluator.node(asked.cluster).gpus;
  for (const Question& q : one_by_one(asked)) {
    const std::string& title = evaluator.workload(q.workload).title;
    unit = std::lcm(unit, split_unit(q.workload));
    titles.push_back(doc::Reason{"workload", {{"title", title}}});
    if (q.workload.parallelism)
      splits.push_back(doc::Reason{"split_takes",
                                   {{"workload", title},
                                    {"split", split_text(*q.workload.parallelism)},
                                    {"gpus", split_unit(q.workload)}}});
  }
  if (step > max_nodes)
    return {Limit::max_nodes, count_of(max_nodes, "node"), count_of(step, "node"),
            doc::Reason{"split_past_most", {{"nodes", step}, {"max_nodes", max_nodes}}, std::move(splits)}};
  return {Limit::configuration, "equal shares of the global batch", "none",
          doc::Reason{"uneven_batch", {{"max_nodes", max_nodes}, {"unit", unit}}, std::move(titles)}};
}

std::vector<int> counts_taken(Evaluator& evaluator, const Question& asked, int max_nodes) {
  const int step = split_step(evaluator, asked), per_node = evaluator.node(asked.cluster).gpus;
  const std::vector<Question> parts = one_by_one(asked);
  std::vector<int> out;
  for (int nodes = step; nodes <= max_nodes; nodes += step) {
    if (asked.gpus && nodes * per_node < *asked.gpus) continue;  // a job of this size needs more nodes
    const int gpus = std::min(nodes * per_node, asked.gpus.value_or(nodes * per_node));
    if (std::ranges::all_of(parts, [&](const Question& q) { return evaluator.takes(q, gpus); }))
      out.push_back(nodes);
  }
  return out;
}

std::vector<int> counts_taken(Evaluator& evaluator, std::span<const Question> questions, int max_nodes) {
  std::vector<int> out = counts_taken(evaluator, questions.front(), max_nodes);
  for (const Question& q : questions.subspan(1)) {
    std::vector<int> both;
    std::ranges::set_intersection(out, counts_taken(evaluator, q, max_nodes), std::back_inserter(both));
    out = std::move(both);
  }
  return out;
}

NodeCounts node_counts(Evaluator& evaluator, Question q, int max_nodes) {
  NodeCounts out{counts_taken(evaluator, q, max_nodes), 0};
  const auto with_spares = [&](int nodes) {
    q.cluster.nodes = nodes;
    return nodes + evaluator.spares(q);
  };
  while (!out.taken.empty() && with_spares(out.taken.back()) > max_nodes) out.taken.pop_back();
  if (out.taken.empty()) return out;
  const auto held_by = [&](std::size_t i) {
    q.cluster.nodes = out.taken[i];
    return holds(evaluator, q);
  };
  const std::size_t last = out.taken.size() - 1;
  out.least = first_enough({0, last}, held_by).value_or(last);
  return out;
}

}  // namespace rackcast
