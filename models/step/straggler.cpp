#include "models/step/straggler.hpp"

#include <boost/math/distributions/normal.hpp>

#include "models/collectives/cluster.hpp"
#include "models/data_files.hpp"
#include "models/mechanism_spread.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

/// models/data/collectives/jitter.json, read once.
struct Jitter {
  double step, slowdown;
};

const Jitter& jitter() {
  static const Jitter known = [] {
    const Json file = parse_model_data("collectives/jitter.json");
    const auto value = [&file](const char* name) {
      return file.require(name).require("value").number();
    };
    return Jitter{value("step_jitter"), value("collective_slowdown")};
  }();
  return known;
}

}  // namespace

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal{}, p);
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
  return jitter().step;
}

double scaling_log_sigma(int nodes) {
  return nodes > 1 ? mechanism_log_sigma(Mechanism::several_nodes) : 0;
}

double collective_slowdown() {
  return jitter().slowdown;
}

}  // namespace rackcast
