#include "scenarios/answer/growth.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/answer/training_demand.hpp"

namespace rackcast {

namespace {

constexpr int kMostPoints = 100, kMostRetrainings = 26, kMostPlanned = 8;
constexpr Duration kDay{86400};

using Questions = std::vector<Question>;

/// The questions of a set of so many samples, on so many storage systems.
Questions of_samples(std::span<const Question> asked, double samples, int storage_count) {
  Questions out{asked.begin(), asked.end()};
  for (Question& q : out) {
    q.samples = samples;
    q.storage.count = storage_count;
  }
  return out;
}

std::vector<Retraining> retrainings(Evaluator& evaluator, const Scenario& s, std::span<const Question> asked,
                                    Duration last) {
  std::vector<Retraining> rows;
  if (!s.goal || !s.goal->retrain_every) return rows;
  const Duration every = *s.goal->retrain_every, first = s.goal->date.value_or(every);
  for (int i = 0; i < kMostRetrainings; ++i) {
    const Duration at = first + i * every;
    if (at > last) break;
    const Bytes usable = std::min(growth_at(*s.data.growth(), at).usable, s.data.fleet->total());
    const double samples = std::floor(usable / asked.front().bytes_per_sample);
    if (samples < 1) continue;
    Duration time{0};
    for (const Question& q : of_samples(asked, samples, asked.front().storage.count))
      time = std::max(time, evaluator.time_to_train(q));
    rows.push_back({at, samples, time, time <= every});
  }
  return rows;
}

/// The step for `asked` with the interval of its nodes: the time at the expected count may be off by a
/// factor, and the same factor is taken to hold for the counts around it.
GrowthStep planned(Evaluator& evaluator, const Questions& asked, Duration at, Duration deadline,
                   int max_nodes) {
  const Question& first = asked.front();
  GrowthStep step{at,
                  first.samples,
                  first.samples * first.bytes_per_sample,
                  first.storage.array == "none" ? 0 : first.storage.count,
                  std::nullopt,
                  false};
  const Found found = find_nodes(evaluator, asked, deadline, max_nodes);
  if (!found.feasible) {
    step.limit = found.conflicts.front().limit;
    return step;
  }
  step.nodes = found.nodes;
  Question chosen = first;
  chosen.cluster.nodes = found.nodes;
  step.spares = evaluator.spares(chosen);
  Estimate slowest;
  for (Question q : asked) {
    q.cluster.nodes = found.nodes;
    const Estimate time = evaluator.predict(q).time_to_train;
    if (time.value > slowest.value) slowest = time;
  }
  const auto nodes_if = [&](double factor) {
    const Found other = find_nodes(evaluator, asked, deadline / factor, max_nodes);
    return other.feasible ? std::optional(other.nodes) : std::nullopt;
  };
  step.least = nodes_if(slowest.low / slowest.value);
  step.most = nodes_if(slowest.high / slowest.value);
  return step;
}

/// Nodes that train what is usable at each retraining before the next, and within the deadline.
std::vector<GrowthStep> retraining_plan(Evaluator& evaluator, const Scenario& s,
                                        std::span<const Question> asked,
                                        const std::vector<Retraining>& retrainings) {
  std::vector<GrowthStep> steps;
  if (!s.goal || !s.goal->retrain_every) return steps;
  const Duration deadline = std::min(s.goal->deadline, *s.goal->retrain_every);
  const std::size_t every = (retrainings.size() + kMostPlanned - 1) / kMostPlanned;
  for (std::size_t i = 0; i < retrainings.size(); ++i) {
    if (i % every != 0 && i + 1 != retrainings.size()) continue;
    steps.push_back(planned(evaluator, of_samples(asked, retrainings[i].samples, asked.front().storage.count),
                            retrainings[i].at, deadline, s.goal->max_nodes));
  }
  return steps;
}

/// Nodes for the goal's deadline when the fleet has recorded for shorter or longer than asked, at the same
/// rate.
std::vector<GrowthStep> growth_plan(Evaluator& evaluator, const Scenario& s, std::span<const Question> asked,
                                    Duration recorded) {
  std::vector<GrowthStep> steps;
  if (!s.goal) return steps;
  for (const double factor : {0.5, 1.0, 2.0, 3.0, 4.0}) {
    const double samples = std::floor(factor * asked.front().samples);
    if (samples < 1) continue;
    // A smaller set comes with the storage that is there; a larger one with as much more.
    const int count = asked.front().storage.count,
              storage = factor > 1 ? static_cast<int>(std::ceil(factor * count)) : count;
    steps.push_back(planned(evaluator, of_samples(asked, samples, storage), factor * recorded,
                            s.goal->deadline, s.goal->max_nodes));
    steps.back().asked = factor == 1;
  }
  return steps;
}

/// The retrainings as long as the fleet of the scenario records, then what recording on would take.
std::vector<GrowthStep> plan_by_date(std::vector<GrowthStep> retrained,
                                     const std::vector<GrowthStep>& longer) {
  if (retrained.empty()) return longer;
  for (const GrowthStep& step : longer) {
    if (!step.asked && step.at <= retrained.back().at) continue;
    std::erase_if(retrained, [&step](const GrowthStep& r) { return r.at == step.at; });
    retrained.push_back(step);
  }
  std::ranges::sort(retrained, {}, &GrowthStep::at);
  return retrained;
}

}  // namespace

std::optional<GrowthReport> growth_report(Evaluator& evaluator, const Scenario& s,
                                          std::span<const Question> asked) {
  const auto growth = s.data.growth();
  if (!growth) return std::nullopt;
  GrowthReport out;
  Duration last = s.data.fleet->days * kDay;
  if (s.goal && s.goal->date) last = std::max(last, *s.goal->date);
  const int points =
      static_cast<int>(std::clamp(std::floor(last / kDay), 1.0, static_cast<double>(kMostPoints)));
  out.series = growth_series(*growth, last, points);
  out.capacity = evaluator.storage_capacity(asked.front());
  if (out.capacity) {
    out.full = full_at(*growth, *out.capacity);
    if (out.full && *out.full > last) out.full.reset();
  }
  if (s.goal) out.date = s.goal->date;
  out.retraining = retrainings(evaluator, s, asked, last);
  out.plan = plan_by_date(
      retraining_plan(evaluator, s, asked, out.retraining),
      growth_plan(evaluator, s, asked, s.goal && s.goal->date ? *s.goal->date : s.data.fleet->days * kDay));
  return out;
}

}  // namespace rackcast
