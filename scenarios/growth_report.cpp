#include "scenarios/growth_report.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/search.hpp"

namespace rackcast {

namespace {

constexpr int kMostPoints = 100, kMostRetrainings = 26, kMostPlanned = 8;
constexpr Duration kDay{86400};

std::vector<Retraining> retrainings(Evaluator& evaluator, const Scenario& s, Question q, Duration last) {
  std::vector<Retraining> rows;
  if (!s.goal || !s.goal->retrain_every) return rows;
  const Duration every = *s.goal->retrain_every, first = s.goal->date.value_or(every);
  for (int i = 0; i < kMostRetrainings; ++i) {
    const Duration at = first + i * every;
    if (at > last) break;
    const Bytes usable = std::min(growth_at(*s.data.growth(), at).usable, s.data.fleet->total());
    q.samples = std::floor(usable / q.bytes_per_sample);
    if (q.samples < 1) continue;
    const Duration time = evaluator.time_to_train(q);
    rows.push_back({at, q.samples, time, time <= every});
  }
  return rows;
}

/// The step for `q` with the interval of its nodes: the time at the expected count may be off by a factor,
/// and the same factor is taken to hold for the counts around it.
GrowthStep planned(Evaluator& evaluator, const Question& asked, const Question& q, Duration at,
                   Duration deadline, int max_nodes) {
  GrowthStep step{at,
                  q.samples,
                  q.samples * q.bytes_per_sample,
                  asked.storage.array == "none" ? 0 : q.storage.count,
                  std::nullopt,
                  false};
  const Found found = find_nodes(evaluator, q, deadline, max_nodes);
  if (!found.feasible) return step;
  step.nodes = found.nodes;
  Question chosen = q;
  chosen.cluster.nodes = found.nodes;
  step.spares = evaluator.spares(chosen);
  const Estimate time = evaluator.predict(chosen).time_to_train;
  const auto nodes_if = [&](double factor) {
    const Found other = find_nodes(evaluator, q, deadline / factor, max_nodes);
    return other.feasible ? std::optional(other.nodes) : std::nullopt;
  };
  step.least = nodes_if(time.low / time.value);
  step.most = nodes_if(time.high / time.value);
  return step;
}

/// Nodes that train what is usable at each retraining before the next, and within the deadline.
std::vector<GrowthStep> retraining_plan(Evaluator& evaluator, const Scenario& s, const Question& asked,
                                        const std::vector<Retraining>& retrainings) {
  std::vector<GrowthStep> steps;
  if (!s.goal || !s.goal->retrain_every) return steps;
  const Duration deadline = std::min(s.goal->deadline, *s.goal->retrain_every);
  const std::size_t every = (retrainings.size() + kMostPlanned - 1) / kMostPlanned;
  for (std::size_t i = 0; i < retrainings.size(); ++i) {
    if (i % every != 0 && i + 1 != retrainings.size()) continue;
    Question q = asked;
    q.samples = retrainings[i].samples;
    steps.push_back(planned(evaluator, asked, q, retrainings[i].at, deadline, s.goal->max_nodes));
  }
  return steps;
}

/// Nodes for the goal's deadline when the fleet has recorded for shorter or longer than asked, at the same
/// rate.
std::vector<GrowthStep> growth_plan(Evaluator& evaluator, const Scenario& s, const Question& asked,
                                    Duration recorded) {
  std::vector<GrowthStep> steps;
  if (!s.goal) return steps;
  for (const double factor : {0.5, 1.0, 2.0, 3.0, 4.0}) {
    Question q = asked;
    q.samples = std::floor(factor * asked.samples);
    if (q.samples < 1) continue;
    // A smaller set comes with the storage that is there; a larger one with as much more.
    if (factor > 1) q.storage.count = static_cast<int>(std::ceil(factor * asked.storage.count));
    steps.push_back(planned(evaluator, asked, q, factor * recorded, s.goal->deadline, s.goal->max_nodes));
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

std::optional<GrowthReport> growth_report(Evaluator& evaluator, const Scenario& s, const Question& question) {
  const auto growth = s.data.growth();
  if (!growth) return std::nullopt;
  GrowthReport out;
  Duration last = s.data.fleet->days * kDay;
  if (s.goal && s.goal->date) last = std::max(last, *s.goal->date);
  const int points =
      static_cast<int>(std::clamp(std::floor(last / kDay), 1.0, static_cast<double>(kMostPoints)));
  out.series = growth_series(*growth, last, points);
  out.capacity = evaluator.storage_capacity(question);
  if (out.capacity) {
    out.full = full_at(*growth, *out.capacity);
    if (out.full && *out.full > last) out.full.reset();
  }
  if (s.goal) out.date = s.goal->date;
  out.retraining = retrainings(evaluator, s, question, last);
  out.plan = plan_by_date(retraining_plan(evaluator, s, question, out.retraining),
                          growth_plan(evaluator, s, question,
                                      s.goal && s.goal->date ? *s.goal->date : s.data.fleet->days * kDay));
  return out;
}

}  // namespace rackcast
