#include "scenarios/answer/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "models/memory/memory.hpp"
#include "scenarios/answer/node_counts.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/parallelism.hpp"
#include "sim/base/normal.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// A workload that takes less memory, and what was changed for it.
struct Leaner {
  std::string input;
  std::string change;
  WorkloadSpec workload;
};

/// A global batch alone goes to each GPU in one pass. In several it takes less: of the largest power of two
/// that fits.
std::optional<Leaner> in_passes(Evaluator& evaluator, const Question& q) {
  const WorkloadSpec& own = q.workload;
  if (own.parallelism || !own.global_batch || !own.batch_is_default) return std::nullopt;
  const double most =
      largest_batch(evaluator.workload(own), evaluator.memory(q), evaluator.node(q.cluster).gpu_memory);
  if (!(most >= 1)) return std::nullopt;
  Leaner out{"batch_per_gpu", {}, own};
  out.workload.batch_per_gpu = std::exp2(std::floor(std::log2(most)));
  out.workload.batch_is_default = false;
  out.change = fmt::format("{:.0f}, several passes for each step", out.workload.batch_per_gpu);
  return out;
}

std::vector<Leaner> leaner(const WorkloadSpec& own, int gpus_per_node) {
  std::vector<Leaner> out;
  const auto add = [&](const char* input, std::string change, auto&& apply) {
    WorkloadSpec changed = own;
    apply(changed);
    out.push_back({input, std::move(change), std::move(changed)});
  };
  // The batch and the split of a recording are its own, and a search has tried all splits.
  if (own.graph || own.split_search) return out;
  if (!own.parallelism) {
    if (own.batch_per_gpu > 1 && !(own.global_batch && own.batch_is_default))
      add("batch_per_gpu", fmt::format("{:.0f}", std::floor(own.batch_per_gpu / 2)),
          [](WorkloadSpec& w) { w.batch_per_gpu = std::floor(w.batch_per_gpu / 2); });
    return out;
  }
  const Mesh& p = *own.parallelism;
  const int last_stage = p.expert > 1 ? 1 : 3;  // beyond it there is no model
  for (int stage = p.zero_stage + 1; stage <= last_stage; ++stage)
    add("zero_stage", fmt::format("{}", stage), [=](WorkloadSpec& w) { w.parallelism->zero_stage = stage; });
  if (p.recompute == Recomputation::none)
    add("recompute", "selective",
        [](WorkloadSpec& w) { w.parallelism->recompute = Recomputation::selective; });
  if (p.recompute != Recomputation::full)
    add("recompute", "full", [](WorkloadSpec& w) { w.parallelism->recompute = Recomputation::full; });
  if (std::fmod(p.micro_batch, 2) == 0)  // the batch stays
    add("micro_batch", fmt::format("{}, twice as many of them", p.micro_batch / 2), [](WorkloadSpec& w) {
      w.parallelism->micro_batch /= 2;
      w.parallelism->micro_batches *= 2;
    });
  if (2 * p.tensor <= gpus_per_node)
    add("tensor", fmt::format("{}", 2 * p.tensor), [](WorkloadSpec& w) { w.parallelism->tensor *= 2; });
  return out;
}

/// Two of these changes together, of different settings.
std::vector<Leaner> twice_leaner(const std::vector<Leaner>& once, int gpus_per_node) {
  std::vector<Leaner> out;
  for (auto one = once.begin(); one != once.end(); ++one) {
    for (Leaner& two : leaner(one->workload, gpus_per_node)) {
      // Each pair once: the second is one of the settings that come later.
      const bool later =
          std::any_of(one + 1, once.end(), [&](const Leaner& l) { return l.input == two.input; });
      if (two.input == one->input || !later) continue;
      out.push_back(
          {one->input + " and " + two.input, one->change + " and " + two.change, std::move(two.workload)});
    }
  }
  return out;
}

/// Of two changes together, which are many, the first few that help are enough.
constexpr std::size_t kMostPairs = 3;

}  // namespace

std::vector<Change> memory_changes(Evaluator& evaluator, std::span<const Question> asked,
                                   const GoalSpec& goal, std::optional<int> nodes) {
  std::vector<Change> rows;
  const auto try_one = [&](std::size_t of, std::size_t part, const Leaner& other, const std::string& whose) {
    std::vector<Question> varied{asked.begin(), asked.end()};
    (part == 0 ? varied[of].workload : varied[of].then[part - 1]) = other.workload;
    try {
      const Found found = find_nodes(evaluator, varied, goal.deadline, goal.max_nodes);
      if (!found.feasible || (nodes && found.nodes >= *nodes)) return;
      rows.push_back({other.input + whose, other.change, {}, found.nodes});
      rows.back().less_memory = true;
    } catch (const LimitReached&) {
      throw;
    } catch (const Error&) {  // a split that the network's layers or heads do not take
    }
  };
  for (std::size_t of = 0; of < asked.size(); ++of) {
    const std::vector<Question> parts = one_by_one(asked[of]);
    const bool several = asked.size() > 1 || parts.size() > 1;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::string whose = several ? " of " + parts[part].workload.model : "";
      const int gpus = evaluator.node(asked[of].cluster).gpus;
      const std::vector<Leaner> once = leaner(parts[part].workload, gpus);
      const std::size_t before = rows.size();
      if (const auto other = in_passes(evaluator, parts[part])) try_one(of, part, *other, whose);
      for (const Leaner& other : once) try_one(of, part, other, whose);
      if (nodes || rows.size() > before) continue;
      for (const Leaner& other : twice_leaner(once, gpus))
        if (rows.size() < before + kMostPairs) try_one(of, part, other, whose);
    }
  }
  return rows;
}

namespace {

/// The questions with a change to each, and to each of their workloads.
template <class OfQuestion, class OfWorkload>
std::vector<Question> with_changes(std::span<const Question> asked, OfQuestion of_question,
                                   OfWorkload of_workload) {
  std::vector<Question> out{asked.begin(), asked.end()};
  for (Question& q : out) {
    of_question(q);
    of_workload(q.workload);
    std::ranges::for_each(q.then, of_workload);
  }
  return out;
}

constexpr auto kSame = [](auto&) {
};

/// A recorded step has the precision that it has.
bool any_recorded(std::span<const Question> asked) {
  return std::ranges::any_of(asked, [](const Question& whole) {
    return std::ranges::any_of(one_by_one(whole),
                               [](const Question& q) { return q.workload.graph != nullptr; });
  });
}

}  // namespace

std::vector<Change> changes(Evaluator& evaluator, std::span<const Question> asked, const GoalSpec& goal,
                            int nodes) {
  std::vector<Change> rows;
  const auto add = [&](const char* input, std::string change, std::span<const Question> questions,
                       Duration deadline) {
    const Found found = find_nodes(evaluator, questions, deadline, goal.max_nodes);
    Change row{input, std::move(change), {}, std::nullopt};
    if (found.feasible)
      row.nodes = found.nodes;
    else
      row.why = found.conflicts.front().why;
    rows.push_back(std::move(row));
  };
  const bool several = asked.size() > 1 || !asked.front().then.empty();
  const WorkloadSpec& first = asked.front().workload;
  add("deadline", to_text(goal.deadline / 2), asked, goal.deadline / 2);
  add("deadline", to_text(goal.deadline * 2), asked, goal.deadline * 2);
  add("epochs", several ? "a quarter less" : fmt::format("{:g} (a quarter less)", 0.75 * first.epochs),
      with_changes(asked, kSame, [](WorkloadSpec& w) { w.epochs *= 0.75; }), goal.deadline);
  const bool stored = asked.front().storage.array != "none";
  add("data", stored ? "twice as much, on twice the storage" : "twice as much",
      with_changes(
          asked,
          [](Question& q) {
            q.samples *= 2;
            if (q.storage.array != "none") q.storage.count *= 2;  // a larger set comes with its storage
          },
          kSame),
      goal.deadline);
  const Precision other = first.precision == Precision::fp32 ? Precision::mixed : Precision::fp32;
  if (!any_recorded(asked))
    add("precision", std::string(to_string(other)),
        with_changes(asked, kSame, [other](WorkloadSpec& w) { w.precision = other; }), goal.deadline);
  const bool servers = std::ranges::any_of(asked, [&](const Question& whole) {
    return std::ranges::any_of(one_by_one(whole), [&](Question q) {
      q.cluster.nodes = nodes;
      return evaluator.exchange(q).strategy == ExchangeStrategy::parameter_server;
    });
  });
  if (servers)
    add("exchange of gradients", "all-reduce instead of parameter servers",
        with_changes(asked, kSame, [](WorkloadSpec& w) { w.exchange = "all_reduce"; }), goal.deadline);
  return rows;
}

std::optional<double> chance_within(const Estimate& time, Duration deadline) {
  if (time.unit.empty() || time.low <= 0 || time.high <= time.low) return std::nullopt;
  const double median = time.median.value_or(time.value);
  const double ahead = std::log(deadline.base() / median);
  const double end = ahead > 0 ? time.high / median : median / time.low;
  if (end <= 1) return std::nullopt;
  return boost::math::cdf(boost::math::normal{}, ahead / std::log(end) * half_of_90_percent);
}

std::optional<double> chance_within(Evaluator& evaluator, std::span<const Question> asked, Duration deadline,
                                    int nodes) {
  std::optional<double> least;
  for (Question q : asked) {
    q.cluster.nodes = nodes;
    const auto chance = chance_within(evaluator.predict(q).time_to_train, deadline);
    if (chance) least = std::min(*chance, least.value_or(1));
  }
  return least;
}

Change confident(Evaluator& evaluator, std::span<const Question> asked, const GoalSpec& goal, int nodes) {
  const auto met = [&](int n) {
    for (Question q : asked) {
      q.cluster.nodes = n;
      const Estimate time = evaluator.predict(q).time_to_train;
      const bool expected = Duration{time.value} <= goal.deadline;
      if (chance_within(time, goal.deadline).value_or(expected ? 1 : 0) < enough_confidence) return false;
    }
    return true;
  };
  Change row{"confidence in the deadline", "90 %", {}, std::nullopt};
  row.probability = chance_within(evaluator, asked, goal.deadline, nodes).value_or(1);
  const NodeCounts counts{counts_taken(evaluator, asked, std::max(nodes, goal.max_nodes)), 0};
  const std::size_t here = counts.up_to(nodes), last = counts.taken.size() - 1;
  const auto sure =
      first_enough({here, last, here, here + 1}, [&](std::size_t i) { return met(counts.taken[i]); });
  if (sure)
    row.nodes = counts.taken[*sure];
  else
    row.most_nodes = counts.taken[last];
  return row;
}

Alternative alternative(Evaluator& evaluator, Question q, const GoalSpec& goal, const std::string& node_id) {
  q.cluster.node = node_id;
  q.cluster.gpu.clear();
  q.cluster.gpus_per_node.reset();
  q.cluster.fabric = q.cluster.fabric.for_another_node();
  const NodeFacts node = evaluator.node(q.cluster);
  Alternative out;
  out.node = node.id;
  out.title = node.title;
  const Found found = find_nodes(evaluator, q, goal.deadline, goal.max_nodes);
  out.feasible = found.feasible;
  if (!found.feasible) {
    out.binding_constraint = to_string(found.conflicts.front().limit);
    out.why = found.conflicts.front().why;
    return out;
  }
  q.cluster.nodes = found.nodes;
  out.nodes = found.nodes;
  out.gpus = found.nodes * node.gpus;
  out.time_to_train = evaluator.predict(q).time_to_train;
  out.spares = evaluator.spares(q);
  out.rack_units = units_of(node, found.nodes + out.spares);
  out.power_kw = kilowatts_of(node, found.nodes + out.spares);
  out.binding_constraint = evaluator.run(evaluator.longest(q)).binds;
  return out;
}

}  // namespace rackcast
