#include "scenarios/uncertainty/service_uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "models/step/straggler.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kMostNodes = 1e9;  ///< stands for no number of nodes where a mean is taken

/// Nodes as a function of the inputs, each in [0, 1]: the ranges, then the speed of the kernels.
class ServiceModel {
 public:
  ServiceModel(const Scenario& scenario, const Catalog& catalog)
      : scenario_(scenario),
        catalog_(catalog),
        kernels_(GpuModelLibrary::builtin()),
        ranges_(find_ranges(scenario.text)) {
    for (const Json& device : scenario.calibration.devices) kernels_.add(device);
    expected_ = best_fleet(catalog, kernels_, scenario);
    if (!expected_.feasible())
      throw Error{
          brief_text(expected_.conflicts.front()), {}, "rackcast size says more", ErrorKind::infeasible};
  }

  [[nodiscard]] const std::vector<InputRange>& ranges() const { return ranges_; }
  [[nodiscard]] std::size_t dimensions() const { return ranges_.size() + 1; }
  [[nodiscard]] const ServiceOption& expected() const { return expected_; }

  double at(std::span<const double> u) { return exactly(in_steps(u, ranges_.size()), u.back()); }

  /// Not in steps: for the ends of ranges.
  double exactly(std::span<const double> ranges, double speed) {
    const Point& point = point_at(ranges);
    const ServiceNode& node = *point.node;
    if (!node.refused().empty()) return INFINITY;
    const double slower = std::exp(node.log_sigma() * normal_quantile(speed));
    Frequency takes = node.tokens() ? token_rate(node, slower) * node.node().gpus
                                    : gpu_rate(node, (point.service.latency - node.decode()) / slower) *
                                          (node.node().gpus / slower);
    for (const auto& limit : {node.decode_rate(), node.network_rate()})
      if (limit) takes = std::min(takes, *limit);
    return takes > Frequency{0} ? point.service.peak_rate() / takes : INFINITY;
  }

 private:
  struct Point {
    ServiceSpec service;
    std::shared_ptr<const ServiceNode> node;
  };

  const Point& point_at(std::span<const double> ranges) {
    const std::vector<double> key{ranges.begin(), ranges.end()};
    if (const auto it = points_.find(key); it != points_.end()) return it->second;
    const Scenario s = resolve_clusters(
        read_serving_scenario(at_point(scenario_.text, ranges_, ranges), scenario_.file), catalog_);
    // What is asked of a node changes nothing in it: samples that differ in that alone share one.
    std::vector<double> of_node;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      if (!is_load(ranges_[i].path)) of_node.push_back(ranges[i]);
    auto& node = nodes_[of_node];
    if (!node)
      node = service_option(catalog_, kernels_, s, expected_.cluster, expected_.server->precision(),
                            expected_.server->known())
                 .server;
    return points_.emplace(key, Point{*s.serving, node}).first->second;
  }

  static bool is_load(const std::string& path) {
    return path == "serving.rate" || path == "serving.peak" || path == "serving.latency" ||
           path.starts_with("serving.hours.");
  }

  Frequency gpu_rate(const ServiceNode& node, Duration latency) {
    if (!(latency > Duration{0})) return Frequency{0};
    const double rounded = std::stod(fmt::format("{:.3g}", latency.base()));
    const auto [it, fresh] = rates_.try_emplace({&node, rounded});
    if (fresh) it->second = node.gpu_rate_within(Duration{rounded});
    return it->second;
  }

  /// Of a language model, whose limits are several.
  Frequency token_rate(const ServiceNode& node, double slower) {
    const double rounded = std::stod(fmt::format("{:.3g}", slower));
    const auto [it, fresh] = rates_.try_emplace({&node, rounded});
    if (fresh) it->second = node.gpu_rate(rounded);
    return it->second;
  }

  const Scenario& scenario_;
  const Catalog& catalog_;
  GpuModelLibrary kernels_;
  std::vector<InputRange> ranges_;
  ServiceOption expected_;
  std::map<std::vector<double>, Point> points_;
  std::map<std::vector<double>, std::shared_ptr<const ServiceNode>> nodes_;
  std::map<std::pair<const ServiceNode*, double>, Frequency> rates_;
};

/// A whole number of nodes; what the rate's 1 % leaves is no node.
double whole(double nodes) {
  return std::ceil(nodes * (1 - 1e-9));
}

std::string nodes_text(double nodes) {
  return std::isfinite(nodes) ? count_of(whole(nodes), "node") : std::string{"no number of nodes"};
}

}  // namespace

ServiceUncertainty service_uncertainty(const Scenario& s, const Catalog& catalog, std::size_t samples,
                                       const std::function<void(std::size_t, std::size_t)>& on_sample) {
  ServiceModel model{s, catalog};
  std::size_t done = 0;
  const std::size_t about = samples * (1 + 2 + model.dimensions());
  const auto at = [&](std::span<const double> u) {
    if (on_sample) on_sample(++done, std::max(done, about));
    return model.at(u);
  };
  ServiceUncertainty out;
  out.samples = samples;
  out.title = model.expected().server->title();
  out.precision = to_string(model.expected().server->precision());
  out.nodes = model.expected().needed;
  out.spares = model.expected().spares;
  std::vector<double> nodes;
  for (const auto& u : sobol_points(samples, model.dimensions(), s.seed)) nodes.push_back(at(u));
  out.quantiles = sample_quantiles(nodes);
  const auto count = static_cast<double>(samples);
  out.confidence =
      static_cast<double>(std::ranges::count_if(nodes, [&](double n) { return whole(n) <= out.nodes; })) /
      count;
  const auto most = s.goal ? s.goal->max_nodes : GoalSpec{}.max_nodes;
  for (const double probability : confidence_levels) {
    // The smallest sample with at least this share at or below it.
    const double n = whole(nodes[static_cast<std::size_t>(std::ceil(probability * count)) - 1]);
    out.confident.push_back({probability, n <= most ? std::optional(static_cast<int>(n)) : std::nullopt});
  }
  const auto shares =
      sobol_sensitivities([&](std::span<const double> u) { return std::log(std::min(kMostNodes, at(u))); },
                          samples, model.dimensions(), s.seed);
  out.tornado =
      tornado(model.ranges(), "time of kernels", shares,
              [&](std::span<const double> point, double speed) { return model.exactly(point, speed); });
  return out;
}

std::string service_uncertainty_document(const Scenario& s, const ServiceUncertainty& r) {
  TableDocument d;
  d.title = s.name;
  d.subtitle =
      fmt::format("{} in {}, {} quasi-random samples of the scenario's ranges and the kernels' spread",
                  r.title, r.precision, r.samples);
  d.tables.push_back(quantile_table("Nodes for the busiest hour", r, nodes_text));
  d.tables.push_back(tornado_table("What the nodes depend on (tornado)", "Nodes", r, nodes_text));
  const std::string expected = r.spares > 0
                                   ? fmt::format("{} and {}", grouped(r.nodes), count_of(r.spares, "spare"))
                                   : grouped(r.nodes);
  d.tables.push_back(confidence_table("Nodes for the latency, before spares", r, expected,
                                      s.goal ? s.goal->max_nodes : GoalSpec{}.max_nodes));
  return d.json();
}

}  // namespace rackcast
