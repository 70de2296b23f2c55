#include "scenarios/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/memory.hpp"
#include "scenarios/plan/limits.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_conflicts.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

Duration time_at(Evaluator& evaluator, Question& q, int nodes) {
  q.cluster.nodes = nodes;
  return evaluator.time_to_train(q);
}

/// What no site knows of and more nodes make worse: the batch of a step, and failures.
std::vector<Conflict> running_conflicts(Evaluator& evaluator, const Question& q) {
  std::vector<Conflict> out;
  const std::string cluster = fmt::format("{} x {}", q.cluster.nodes, evaluator.node(q.cluster).title);
  const double batch = evaluator.run(q).samples_per_step, useful = q.workload.critical_batch.value_or(batch);
  if (batch > useful * (1 + 1e-9))
    out.push_back(
        {std::string{to_string(Limit::useful_batch)}, fmt::format("{:.0f} samples", batch),
         fmt::format("{:.0f} samples", useful),
         fmt::format("{} take {:.0f} samples of {} in a step; beyond {:.0f} samples more do not train "
                     "faster (critical_batch).",
                     cluster, batch, q.workload.model, useful)});
  if (!q.availability) return out;
  const double kept = evaluator.failures(q)->goodput.useful;
  if (1 - kept > (1 - *q.availability) * (1 + 1e-9))
    out.push_back({std::string{to_string(Limit::availability)},
                   fmt::format("{:.4g} %", 100 * *q.availability), fmt::format("{:.4g} %", 100 * kept),
                   fmt::format("Training on {} moves forward {:.4g} % of the time; {:.4g} % is asked.",
                               cluster, 100 * kept, 100 * *q.availability)});
  return out;
}

}  // namespace

namespace {

/// What the large tables of the network take, and how many GPUs they need.
std::string about_tables(const Workload& workload, const MemoryOptions& memory, const MemoryUse& use,
                         Bytes available) {
  if (!(use.tables > Bytes{0})) return {};
  const auto least = gpus_for_tables(workload, memory, available);
  return fmt::format(" Its tables take {}, {} on each of {:.0f} GPUs; {}.", to_text(table_memory(workload)),
                     to_text(use.tables), memory.table_ways,
                     least ? fmt::format("they need at least {:.0f} GPUs", *least)
                           : std::string("no number of GPUs is enough, as the rest alone does not fit"));
}

}  // namespace

std::optional<Conflict> memory_conflict(Evaluator& evaluator, const Question& q) {
  const NodeFacts node = evaluator.node(q.cluster);
  const Workload& workload = evaluator.workload(q.workload);
  const MemoryOptions memory = evaluator.memory(q);
  const MemoryUse use = training_memory(workload, memory);
  const Bytes needed = use.total();
  if (needed <= node.gpu_memory) return std::nullopt;
  const double fits = largest_batch(workload, memory, node.gpu_memory);
  return Conflict{constraint::gpu_memory, to_text(needed), to_text(node.gpu_memory),
                  fmt::format("A batch of {:.0f} samples of {} needs {} of GPU memory; {} has {}. {}",
                              q.workload.batch_per_gpu, workload.title, to_text(needed), node.gpu_id,
                              to_text(node.gpu_memory),
                              fits >= 1 ? fmt::format("At most {:.0f} samples fit.", fits)
                                        : std::string("Not even one sample fits.")) +
                      about_tables(workload, memory, use, node.gpu_memory)};
}

std::vector<Conflict> fixed_conflicts(Evaluator& evaluator, const Question& q) {
  std::vector<Conflict> out;
  if (const auto conflict = memory_conflict(evaluator, q)) out.push_back(*conflict);
  if (const auto conflict = storage_conflict(evaluator, q)) out.push_back(*conflict);
  return out;
}

std::optional<Conflict> storage_conflict(Evaluator& evaluator, const Question& q) {
  const Bytes data = q.samples * q.bytes_per_sample * q.stored_factor;
  const auto capacity = evaluator.storage_capacity(q);
  if (!capacity || data <= *capacity) return std::nullopt;
  return Conflict{constraint::storage_capacity, to_text(data), to_text(*capacity),
                  fmt::format("The data set ({}) does not fit the storage: {} x {} hold {}.", to_text(data),
                              q.storage.count, q.storage.array, to_text(*capacity))};
}

namespace {

/// The least nodes that hold the network: of large tables each GPU has a part, and with more GPUs a smaller
/// one. A network that fits any number of nodes, as most do, fits one.
int nodes_for_memory(Evaluator& evaluator, Question q, int max_nodes) {
  const auto held_by = [&](int nodes) {
    q.cluster.nodes = nodes;
    return !memory_conflict(evaluator, q);
  };
  if (!(evaluator.memory(q).table_ways > 0) || held_by(1)) return 1;
  int fails = 1, holds = max_nodes;
  while (holds - fails > 1) {
    const int middle = fails + (holds - fails) / 2;
    (held_by(middle) ? holds : fails) = middle;
  }
  return holds;
}

}  // namespace

Found find_nodes(Evaluator& evaluator, Question q, Duration deadline, int max_nodes) {
  Found found;
  q.cluster.nodes = max_nodes;  // parts on local drives: whether any number of nodes could hold them
  found.conflicts = fixed_conflicts(evaluator, q);
  if (!found.conflicts.empty()) return found;

  const int least = nodes_for_memory(evaluator, q, max_nodes);
  int fails = least - 1;  // largest count known to fail
  int best = least;       // closest so far
  int nodes = least;
  Duration time = time_at(evaluator, q, nodes);
  Duration best_time = time;
  while (time > deadline && nodes < max_nodes) {
    fails = nodes;
    nodes = std::min(nodes * 2, max_nodes);
    time = time_at(evaluator, q, nodes);
    if (time < best_time) {
      best_time = time;
      best = nodes;
    }
  }
  if (time > deadline) {
    q.cluster.nodes = best;
    const std::string binds = evaluator.run(q).binds;
    found.nodes = best;
    found.time = best_time;
    const bool still_falling = best == max_nodes;
    found.conflicts.push_back(
        {constraint::deadline, to_text(deadline), to_text(best_time),
         fmt::format("The deadline is {}; the fastest of {} to {} nodes is {} nodes with {}, bound by {}.",
                     to_text(deadline), least, max_nodes, best, to_text(best_time), binds)});
    if (still_falling) {
      found.conflicts.push_back({constraint::max_nodes, fmt::format("more than {}", max_nodes),
                                 fmt::format("{}", max_nodes),
                                 fmt::format("The search stops at {} nodes (goal.max_nodes).", max_nodes)});
    }
    return found;
  }
  while (nodes - fails > 1) {
    const int middle = fails + (nodes - fails) / 2;
    const Duration t = time_at(evaluator, q, middle);
    if (t <= deadline) {
      nodes = middle;
      time = t;
    } else {
      fails = middle;
    }
  }
  found.nodes = nodes;
  found.time = time;
  q.cluster.nodes = nodes;
  if (q.site) {
    const std::vector<SiteRun> runs{{q.workload.model, {}, evaluator.run(q), time}};
    found.conflicts = site_conflicts(evaluator.catalog(), *q.site, evaluator.cluster(q), q.storage, runs);
  }
  std::ranges::copy(running_conflicts(evaluator, q), std::back_inserter(found.conflicts));
  found.feasible = found.conflicts.empty();
  return found;
}

}  // namespace rackcast
