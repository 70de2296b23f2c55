#include "scenarios/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/step/straggler.hpp"
#include "scenarios/answer/node_counts.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "sim/base/normal.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Time to train as a function of the inputs, each in [0, 1]: the ranges, then the model's error.
class Model {
 public:
  Model(const Scenario& scenario, const Catalog& catalog, std::function<void()> on_sample)
      : scenario_(scenario),
        catalog_(catalog),
        evaluator_(catalog, {}, scenario),
        ranges_(find_ranges(scenario.text)),
        on_sample_(std::move(on_sample)) {}

  [[nodiscard]] const std::vector<InputRange>& ranges() const { return ranges_; }
  [[nodiscard]] std::size_t dimensions() const { return ranges_.size() + 1; }
  Evaluator& evaluator() { return evaluator_; }

  struct Outcome {
    double time = 0;
    std::optional<double> deadline;
    bool held = true;  ///< by the memory of the GPUs
  };
  /// Of all workloads one after another, or of the slowest on its own.
  Outcome at(std::span<const double> u, int nodes) {
    if (on_sample_) on_sample_();
    return exactly(in_steps(u, ranges_.size()), u.back(), nodes);
  }
  /// Not in steps: for the ends of ranges.
  Outcome exactly(std::span<const double> ranges, double model, int nodes) {
    const Scenario& s = scenario_at(ranges);
    Outcome out;
    if (s.goal) out.deadline = s.goal->deadline.base();
    const std::vector<Question> asked = questions(s);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Question q = asked[i];
      q.cluster.nodes = nodes;
      const double time = evaluator_.time_to_train(q).base() * factor(i, nodes, model);
      out.time = std::max(out.time, time);
      out.held = out.held && !memory_conflict(evaluator_, q);
    }
    return out;
  }

 private:
  const Scenario& scenario_at(std::span<const double> ranges) {
    if (ranges_.empty()) return scenario_;
    const std::vector<double> key{ranges.begin(), ranges.end()};
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    Scenario s =
        resolve_clusters(read_scenario(at_point(scenario_.text, ranges_, ranges), scenario_.file), catalog_);
    return known_.emplace(key, std::move(s)).first->second;
  }
  /// Of the time: exp of a normal draw around the median of the prediction in the middle of the ranges, each
  /// side as wide as its interval.
  double factor(std::size_t asked, int nodes, double u) {
    const auto key = std::pair{asked, nodes};
    auto it = widths_.find(key);
    if (it == widths_.end()) {
      Question q = questions(scenario_)[asked];
      q.cluster.nodes = nodes;
      const Estimate time = evaluator_.predict(q).time_to_train;
      const double median = time.median.value_or(time.value);
      it = widths_
               .emplace(key, Widths{std::log(median / time.value), std::log(median / time.low),
                                    std::log(time.high / median)})
               .first;
    }
    const double z = normal_quantile(u) / half_of_90_percent;
    return std::exp(it->second.median + z * (z < 0 ? it->second.below : it->second.above));
  }

  const Scenario& scenario_;
  const Catalog& catalog_;
  Evaluator evaluator_;
  std::vector<InputRange> ranges_;
  std::function<void()> on_sample_;
  std::map<std::vector<double>, Scenario> known_;
  /// Of ln(time / time of the model): the median, and the half widths of 90 % around it.
  struct Widths {
    double median = 0, below = 0, above = 0;
  };
  std::map<std::pair<std::size_t, int>, Widths> widths_;  ///< by question and nodes
};

double confidence(Model& model, const std::vector<std::vector<double>>& points, int nodes) {
  double met = 0;
  for (const auto& u : points) {
    const auto outcome = model.at(u, nodes);
    if (outcome.held && outcome.deadline && outcome.time <= *outcome.deadline) ++met;
  }
  return met / static_cast<double>(points.size());
}

/// The fewest nodes that meet the deadline with this probability, of the counts that every workload takes.
std::optional<int> nodes_for(Model& model, const std::vector<std::vector<double>>& points, double probability,
                             const std::vector<int>& counts) {
  const auto place = first_enough({0, counts.size() - 1}, [&](std::size_t i) {
    return confidence(model, points, counts[i]) >= probability;
  });
  return place ? std::optional{counts[*place]} : std::nullopt;
}

/// The counts of nodes that the splits and the global batches of all workloads take.
std::vector<int> common_counts(Model& model, const Scenario& s, int most) {
  return counts_taken(model.evaluator(), questions(s), most);
}

/// The expected answer: what does for every workload with every input in the middle.
int expected_nodes(Model& model, const Scenario& s) {
  if (!s.goal) return s.cluster.nodes;
  const Found found = find_nodes(model.evaluator(), questions(s), s.goal->deadline, s.goal->max_nodes);
  if (!found.feasible) {
    throw Error{brief_text(found.conflicts.front()), {}, "rackcast size says more", ErrorKind::infeasible};
  }
  return found.nodes;
}

}  // namespace

SampledAnswer uncertainty(const Scenario& s, const Catalog& catalog, std::size_t samples,
                          const std::function<void(std::size_t, std::size_t)>& on_sample) {
  std::size_t done = 0, about = samples;
  const auto count = [&] {
    if (on_sample) on_sample(++done, std::max(done, about));
  };
  Model model{s, catalog, count};
  // The quantiles, two sets and one more for each input (sobol.hpp), and four searches over about six sizes.
  about = samples * (1 + 2 + model.dimensions() + (s.goal ? 4 * 6 : 0));
  SampledAnswer out;
  out.samples = samples;
  out.nodes = expected_nodes(model, s);
  const auto points = sobol_points(samples, model.dimensions(), s.seed);
  std::vector<double> times;
  for (const auto& u : points) times.push_back(model.at(u, out.nodes).time);
  out.quantiles = sample_quantiles(times);
  const auto shares =
      sobol_sensitivities([&](std::span<const double> u) { return model.at(u, out.nodes).time; }, samples,
                          model.dimensions(), s.seed);
  out.tornado =
      tornado(model.ranges(), "the model's error", shares, [&](std::span<const double> point, double error) {
        return model.exactly(point, error, out.nodes).time;
      });
  if (!s.goal) return out;
  out.confidence = confidence(model, points, out.nodes);
  const std::vector<int> counts = common_counts(model, s, std::max(out.nodes, s.goal->max_nodes));
  for (const double probability : confidence_levels)
    out.confident.push_back({probability, nodes_for(model, points, probability, counts)});
  return out;
}

std::string uncertainty_document(const Scenario& s, const SampledAnswer& r) {
  TableDocument d;
  d.title = s.name;
  d.subtitle = fmt::format("{} of {}, {} quasi-random samples of the scenario's ranges and the model's error",
                           count_of(r.nodes, "node"), s.cluster.node, r.samples);
  const char* premise = s.workloads.size() == 1 ? ""
                        : s.adds_up()           ? ", all workloads one after another"
                                                : ", the slowest workload on its own";
  const auto time = [](double seconds) {
    return to_text(Duration{seconds});
  };
  d.tables.push_back(quantile_table(std::string{"Time to train"} + premise, r, time));
  d.tables.push_back(tornado_table("What the time depends on (tornado)", "Time", r, time));
  if (r.confidence)
    d.tables.push_back(confidence_table("Nodes for the deadline", r, grouped(r.nodes), s.goal->max_nodes));
  return d.json();
}

}  // namespace rackcast
