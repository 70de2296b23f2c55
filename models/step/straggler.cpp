#include "models/step/straggler.hpp"

#include <cmath>

#include "models/collectives/cluster.hpp"
#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

double normal_quantile(double p) {
  // Bisection of the distribution function: exact to double precision, and fast enough for a call a step.
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double expected_maximum(double n) {
  return n <= 1 ? 0 : normal_quantile((n - 0.375) / (n + 0.25));
}

std::vector<NodePace> node_paces(const Cluster& cluster, std::span<const Stragglers> groups) {
  std::vector<NodePace> out(static_cast<std::size_t>(cluster.topology.nodes()));
  int last = cluster.topology.device(cluster.ranks.back()).node;
  for (std::size_t i = groups.size(); i-- > 0;) {
    for (int n = 0; n < groups[i].nodes && last >= 0; ++n, --last)
      out[static_cast<std::size_t>(last)] = {groups[i].compute, groups[i].network};
  }
  return out;
}

double step_jitter() {
  static const double value =
      parse_model_data("collectives/jitter.json").require("step_jitter").require("value").number();
  return value;
}

double scaling_log_sigma(int nodes) {
  static const double value =
      parse_model_data("collectives/jitter.json").require("scaling_spread").require("value").number();
  return nodes > 1 ? value : 0;
}

double collective_slowdown() {
  static const double value =
      parse_model_data("collectives/jitter.json").require("collective_slowdown").require("value").number();
  return value;
}

}  // namespace rackcast
