#include "scenarios/answer/training_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "scenarios/answer/node_counts.hpp"
#include "scenarios/limits/limits.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_conflicts.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

/// What no site knows of and more nodes make worse: the batch of a step, and failures.
void add_running_conflicts(Evaluator& evaluator, const Question& q, std::vector<Conflict>& out) {
  const std::string node = evaluator.node(q.cluster).title;
  const double batch = evaluator.run(q).samples_per_step, useful = q.workload.critical_batch.value_or(batch);
  if (batch > useful * (1 + 1e-9))
    out.push_back({Limit::useful_batch, fmt::format("{:.0f} samples", useful),
                   fmt::format("{:.0f} samples", batch),
                   doc::Reason{"past_useful_batch",
                               {{"workload", evaluator.workload(q.workload).title},
                                {"node", node},
                                {"nodes", q.cluster.nodes},
                                {"batch", batch},
                                {"useful", useful}}}});
  if (!q.availability) return;
  const double kept = evaluator.failures(q)->goodput.useful;
  if (1 - kept > (1 - *q.availability) * (1 + 1e-9))
    out.push_back(
        {Limit::availability, fmt::format("{:.4g} %", 100 * *q.availability),
         fmt::format("{:.4g} %", 100 * kept),
         doc::Reason{
             "stands_still",
             {{"node", node}, {"nodes", q.cluster.nodes}, {"kept", kept}, {"asked", *q.availability}}}});
}

/// The workloads of the question as the site sees them, the longest first.
std::vector<SiteRun> site_runs(Evaluator& evaluator, const Question& asked) {
  std::vector<SiteRun> runs;
  for (const Question& q : one_by_one(asked))
    runs.push_back({q.workload.model, {}, evaluator.run(q), evaluator.time_to_train(q, false)});
  std::ranges::stable_sort(runs, std::ranges::greater{}, &SiteRun::time);
  return runs;
}

/// The GPU does not train in a workload's precision.
std::optional<Conflict> precision_conflict(Evaluator& evaluator, const Question& asked) {
  for (const Question& q : one_by_one(asked)) {
    if (const auto refusal = evaluator.precision_refusal(q.cluster, q.workload))
      return Conflict{Limit::precision, std::string{to_string(q.workload.precision)}, "none",
                      doc::Reason{"precision", {{"message", refusal->message()}, {"hint", refusal->hint()}}}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Conflict> fixed_conflicts(Evaluator& evaluator, const Question& q) {
  std::vector<Conflict> out;
  if (const auto conflict = precision_conflict(evaluator, q)) return {*conflict};
  if (const auto conflict = split_conflict(evaluator, q)) out.push_back(*conflict);
  if (const auto conflict = memory_conflict(evaluator, q)) out.push_back(*conflict);
  if (const auto conflict = storage_conflict(evaluator, q)) out.push_back(*conflict);
  return out;
}

std::vector<Conflict> site_limits(Evaluator& evaluator, const Question& q) {
  if (!q.site) return {};
  const std::vector<SiteRun> runs = site_runs(evaluator, q);
  return site_conflicts(evaluator.catalog(), *q.site, evaluator.bought(q), evaluator.spares(q), q.storage,
                        runs);
}

std::optional<Conflict> storage_conflict(Evaluator& evaluator, const Question& q) {
  const Bytes data = q.samples * q.bytes_per_sample * q.stored_factor;
  const auto capacity = evaluator.storage_capacity(q);
  if (!capacity || data <= *capacity) return std::nullopt;
  return Conflict{Limit::storage_capacity, to_text(*capacity), to_text(data),
                  doc::Reason{"data_past_storage",
                              {{"array", q.storage.array},
                               {"data_bytes", data.base()},
                               {"count", q.storage.count},
                               {"capacity_bytes", capacity->base()}}}};
}

bool TrainingDemand::enough(int nodes) {
  if (gave_up_) return false;
  question_.cluster.nodes = nodes;
  evaluator_.give_back();  // what was asked about other counts
  const Duration time = evaluator_.time_to_train(question_);
  gave_up_ = in_vain_ && fastest_ != 0 && time > (1 - worthwhile) * least_time_;
  if (fastest_ == 0 || time < least_time_) {
    fastest_ = nodes;
    least_time_ = time;
  }
  return time <= deadline_;
}

int TrainingDemand::below(int nodes) {
  const std::vector<int> counts = counts_taken(evaluator_, question_, nodes - 1);
  return counts.empty() ? nodes - 1 : counts.back();
}

Smaller TrainingDemand::falls_short(int fewer) {
  question_.cluster.nodes = fewer;
  if (const auto conflict = split_conflict(evaluator_, question_))  // less than one copy
    return {fewer, std::string{to_string(conflict->limit)}, conflict->why, {}};
  if (counts_taken(evaluator_, question_, fewer).empty()) {
    const Conflict conflict = none_taken(evaluator_, question_, fewer);
    return {fewer, std::string{to_string(conflict.limit)}, conflict.why, {}};
  }
  const Prediction p = evaluator_.predict(question_);
  if (const auto conflict = memory_conflict(evaluator_, question_))
    return {fewer, std::string{to_string(conflict->limit)}, conflict->why, p.time_to_train};
  return {fewer, std::string{to_string(Limit::deadline)}, {}, p.time_to_train};
}

namespace {

/// None of the counts meets the deadline. Of the question's nodes, which take `time`, the figures are told.
/// `passes`: what forward and backward passes alone take on the most nodes, where that rules all counts out
/// and the search ended early.
Conflict too_slow(Evaluator& evaluator, const Question& q, Duration time, Duration deadline,
                  std::pair<int, int> counts, std::optional<Duration> passes) {
  std::optional<double> passes_s;
  if (passes) passes_s = passes->base();
  return {Limit::deadline, to_text(deadline), told_apart(time, deadline),
          doc::Reason{"deadline",
                      {{"binds", evaluator.run(evaluator.longest(q)).binds},
                       {"least_nodes", counts.first},
                       {"max_nodes", counts.second},
                       {"deadline_s", deadline.base()},
                       {"nodes", q.cluster.nodes},
                       {"time_s", time.base()},
                       {"passes_s", passes_s}}}};
}

}  // namespace

Found find_nodes(Evaluator& evaluator, Question q, Duration deadline, int max_nodes, int nearest) {
  Found found;
  if (const auto conflict = precision_conflict(evaluator, q)) {
    found.conflicts.push_back(*conflict);
    return found;
  }
  const NodeCounts counts = node_counts(evaluator, q, max_nodes);
  if (counts.taken.empty()) {
    found.conflicts.push_back(none_taken(evaluator, q, max_nodes));
    return found;
  }
  const int least = counts.taken[counts.least], most = counts.taken.back();
  q.cluster.nodes = most;  // whether any number of nodes holds it, and parts of the data on local drives
  found.conflicts = fixed_conflicts(evaluator, q);
  if (!found.conflicts.empty()) return found;

  TrainingDemand demand{evaluator, q, deadline};
  const Duration passes = evaluator.least_time(q);
  if (passes > deadline) demand.expect_nothing();
  const std::size_t last = counts.taken.size() - 1;
  const auto place = first_enough({counts.least, last, counts.least, counts.least + 1},
                                  [&](std::size_t i) { return demand.enough(counts.taken[i]); });
  if (!place) {
    found.nodes = demand.fastest();
    Duration time = demand.least_time();
    if (std::ranges::binary_search(counts.taken, nearest)) {
      q.cluster.nodes = nearest;
      const Duration there = evaluator.time_to_train(q);
      if (demand.gave_up() || there <= time) {
        found.nodes = nearest;
        time = there;
      }
    }
    q.cluster.nodes = found.nodes;
    found.conflicts.push_back(too_slow(evaluator, q, time, deadline, {least, max_nodes},
                                       demand.gave_up() ? std::optional(passes) : std::nullopt));
    if (found.nodes == most) {
      const int spares = evaluator.spares(q);
      found.conflicts.push_back({Limit::max_nodes, count_of(max_nodes, "node"),
                                 fmt::format("more than {}", max_nodes),
                                 doc::Reason{"search_ends", {{"max_nodes", max_nodes}, {"spares", spares}}}});
    }
    return found;
  }
  q.cluster.nodes = found.nodes = counts.taken[*place];
  found.conflicts = site_limits(evaluator, q);
  for (const Question& part : one_by_one(q)) add_running_conflicts(evaluator, part, found.conflicts);
  found.feasible = found.conflicts.empty();
  return found;
}

Found find_nodes(Evaluator& evaluator, std::span<const Question> questions, Duration deadline,
                 int max_nodes) {
  Found most;
  for (const Question& q : questions) {
    Found found = find_nodes(evaluator, q, deadline, max_nodes);
    if (!found.feasible) return found;
    if (found.nodes > most.nodes) most = std::move(found);
  }
  if (questions.size() < 2) return most;
  const std::vector<int> taken = counts_taken(evaluator, questions, max_nodes);
  const auto next = std::ranges::lower_bound(taken, most.nodes);
  if (next != taken.end()) {
    most.nodes = *next;
    return most;
  }
  most.feasible = false;
  most.conflicts.push_back(
      {Limit::configuration, "a size for every workload", "none",
       doc::Reason{"no_common_count", {{"nodes", most.nodes}, {"max_nodes", max_nodes}}}});
  return most;
}

}  // namespace rackcast
