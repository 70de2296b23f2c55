#include "scenarios/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "models/step/straggler.hpp"
#include "scenarios/answer/describe.hpp"
#include "scenarios/answer/node_counts.hpp"
#include "scenarios/answer/search.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kNinetyPercent = 1.645;  ///< half width of a 90 % interval in standard deviations
constexpr double kSteps = 64;             ///< of a range

/// Time to train as a function of the inputs, each in [0, 1]: the ranges, then the model's error.
class Model {
 public:
  Model(const Scenario& scenario, const Catalog& catalog, std::function<void()> on_sample)
      : scenario_(scenario),
        catalog_(catalog),
        evaluator_(catalog, {}, scenario.calibration),
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
    std::vector<double> stepped;
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      stepped.push_back((std::floor(u[i] * kSteps) + 0.5) / kSteps);
    if (on_sample_) on_sample_();
    return exactly(stepped, u.back(), nodes);
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
  /// exp of a normal draw, each side as wide as the interval of the prediction in the middle of the ranges.
  double factor(std::size_t asked, int nodes, double u) {
    const auto key = std::pair{asked, nodes};
    auto it = widths_.find(key);
    if (it == widths_.end()) {
      Question q = questions(scenario_)[asked];
      q.cluster.nodes = nodes;
      const Estimate time = evaluator_.predict(q).time_to_train;
      it = widths_.emplace(key, std::pair{std::log(time.value / time.low), std::log(time.high / time.value)})
               .first;
    }
    const double z = normal_quantile(u) / kNinetyPercent;
    return std::exp(z * (z < 0 ? it->second.first : it->second.second));
  }

  const Scenario& scenario_;
  const Catalog& catalog_;
  Evaluator evaluator_;
  std::vector<InputRange> ranges_;
  std::function<void()> on_sample_;
  std::map<std::vector<double>, Scenario> known_;
  std::map<std::pair<std::size_t, int>, std::pair<double, double>> widths_;  ///< by question and nodes
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

std::vector<TornadoRow> tornado(Model& model, int nodes, std::size_t samples, std::uint64_t seed) {
  const auto share = sobol_sensitivities([&](std::span<const double> u) { return model.at(u, nodes).time; },
                                         samples, model.dimensions(), seed);
  std::vector<TornadoRow> rows;
  const std::vector<double> middle(model.ranges().size(), 0.5);
  for (std::size_t i = 0; i < model.ranges().size(); ++i) {
    const InputRange& range = model.ranges()[i];
    const auto end = [&](double u) {
      std::vector<double> point = middle;
      point[i] = u;
      return Duration{model.exactly(point, 0.5, nodes).time};
    };
    rows.push_back({range.path, range.at(0), range.at(1), end(0), end(1), share[i]});
  }
  rows.push_back({"the model's error", "5 %", "95 %", Duration{model.exactly(middle, 0.05, nodes).time},
                  Duration{model.exactly(middle, 0.95, nodes).time}, share.back()});
  std::ranges::stable_sort(rows, std::greater{}, [](const TornadoRow& r) { return r.share.total; });
  return rows;
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
    throw Error{
        found.conflicts.front().statement, {}, "rackcast size says more about it", ErrorKind::infeasible};
  }
  return found.nodes;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

UncertaintyReport uncertainty(const Scenario& s, const Catalog& catalog, std::size_t samples,
                              const std::function<void(std::size_t, std::size_t)>& on_sample) {
  std::size_t done = 0, about = samples;
  const auto count = [&] {
    if (on_sample) on_sample(++done, std::max(done, about));
  };
  Model model{s, catalog, count};
  // The quantiles, two sets and one more for each input (sobol.hpp), and four searches over about six sizes.
  about = samples * (1 + 2 + model.dimensions() + (s.goal ? 4 * 6 : 0));
  UncertaintyReport out;
  out.samples = samples;
  out.nodes = expected_nodes(model, s);
  const auto points = sobol_points(samples, model.dimensions(), s.seed);
  std::vector<double> times;
  for (const auto& u : points) times.push_back(model.at(u, out.nodes).time);
  std::ranges::sort(times);
  for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95})
    out.quantiles.push_back(times[static_cast<std::size_t>(share * static_cast<double>(samples))]);
  out.tornado = tornado(model, out.nodes, samples, s.seed);
  if (!s.goal) return out;
  out.confidence = confidence(model, points, out.nodes);
  const std::vector<int> counts = common_counts(model, s, std::max(out.nodes, s.goal->max_nodes));
  for (const double probability : {0.5, 0.75, 0.9, 0.95})
    out.confident.push_back({probability, nodes_for(model, points, probability, counts)});
  return out;
}

std::string uncertainty_document(const Scenario& s, const UncertaintyReport& r) {
  TableDocument d;
  d.title = s.name;
  d.subtitle = fmt::format("{} of {}, {} quasi-random samples of the scenario's ranges and the model's error",
                           count_of(r.nodes, "node"), s.cluster.node, r.samples);
  const char* premise = s.workloads.size() == 1 ? ""
                        : s.adds_up()           ? ", all workloads one after another"
                                                : ", the slowest workload on its own";
  TableDocument::Table times{
      std::string{"Time to train"} + premise, {{"Share of the samples below"}, {"", true}}, {}};
  constexpr const char* names[] = {"5 %", "25 %", "50 %", "75 %", "95 %"};
  for (std::size_t i = 0; i < r.quantiles.size(); ++i)
    times.rows.push_back({names[i], to_text(Duration{r.quantiles[i]})});
  d.tables.push_back(times);
  TableDocument::Table bars{"What the time depends on (tornado)",
                            {{"Input"},
                             {"From", true},
                             {"To", true},
                             {"Time at one end", true},
                             {"At the other", true},
                             {"Variance alone", true},
                             {"With others", true}},
                            {}};
  for (const TornadoRow& row : r.tornado) {
    bars.rows.push_back({row.input, row.low_text, row.high_text, to_text(row.low), to_text(row.high),
                         percent(row.share.first), percent(row.share.total)});
  }
  d.tables.push_back(bars);
  if (!r.confidence) return d.json();
  TableDocument::Table nodes{"Nodes for the deadline", {{"Confidence"}, {"Nodes", true}}, {}};
  nodes.rows.push_back({percent(*r.confidence) + ", the expected answer", grouped(r.nodes)});
  for (const auto& c : r.confident) {
    nodes.rows.push_back(
        {percent(c.probability), c.nodes ? grouped(*c.nodes) : fmt::format("over {}", s.goal->max_nodes)});
  }
  d.tables.push_back(nodes);
  return d.json();
}

}  // namespace rackcast
