#include "scenarios/campaign/gang_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/collectives/cluster.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"

namespace rackcast {

namespace {

/// Divides `of` into `parts` parts that differ by at most one, the larger ones first.
std::vector<int> evenly(int of, int parts) {
  std::vector<int> out;
  for (int i = 0; i < parts; ++i) out.push_back(of / parts + (i < of % parts));
  return out;
}

/// Evenly, but for one part of `least`.
std::vector<int> evenly_but(int of, int parts, int least) {
  if (parts == 1) return {of};
  std::vector<int> out = evenly(of - least, parts - 1);
  out.push_back(least);
  return out;
}

/// What gangs have in common whose steps take as long.
struct GangKind {
  int nodes = 0, leaves = 0, pods = 0;
  int least_on_leaf = 0, least_in_pod = 0;

  explicit GangKind(const Gang& gang) : pods(static_cast<int>(gang.size())) {
    for (const auto& pod : gang) {
      const int in_pod = std::accumulate(pod.begin(), pod.end(), 0);
      const int on_leaf = *std::ranges::min_element(pod);
      least_in_pod = nodes == 0 ? in_pod : std::min(least_in_pod, in_pod);
      least_on_leaf = nodes == 0 ? on_leaf : std::min(least_on_leaf, on_leaf);
      nodes += in_pod;
      leaves += static_cast<int>(pod.size());
    }
  }
};

/// A gang of that kind, or as near as it goes: nodes spread evenly over pods and leaves but for the least
/// pod, and the least leaf in the largest pod. Leaves hold `per_leaf` nodes.
Gang standing_for(const GangKind& kind, int per_leaf) {
  Gang out;
  int leaves_left = kind.leaves, pods_left = kind.pods, nodes_left = kind.nodes;
  const std::vector<int> pods = evenly_but(kind.nodes, kind.pods, kind.least_in_pod);
  for (const int nodes : pods) {
    const int even = static_cast<int>(
        std::lround(static_cast<double>(leaves_left) * nodes / static_cast<double>(nodes_left)));
    const int fewest = (nodes + per_leaf - 1) / per_leaf, most = nodes / kind.least_on_leaf;
    const int leaves = std::max({1, fewest, std::min({even, most, leaves_left - pods_left + 1})});
    const bool first = out.empty();
    out.push_back(first ? evenly_but(nodes, leaves, kind.least_on_leaf) : evenly(nodes, leaves));
    leaves_left -= leaves;
    nodes_left -= nodes;
    --pods_left;
  }
  return out;
}

}  // namespace

const WorkloadSpec& workload_of(const Scenario& s, const StreamSpec& stream) {
  if (stream.workload.empty()) return s.workloads.front();
  const auto found = std::ranges::find(s.workloads, stream.workload, &WorkloadSpec::model);
  if (found == s.workloads.end())
    throw Error{fmt::format("no workload \"{}\" in this scenario", stream.workload), stream.where,
                "name one of \"workloads\""};
  return *found;
}

GangSpeed::GangSpeed(const Scenario& scenario, Evaluator& evaluator, int nodes)
    : scenario_(scenario), evaluator_(evaluator), nodes_(nodes) {
  Question q = question(scenario, scenario.workloads.front());
  q.cluster.nodes = nodes;
  q.gpus.reset();
  places_ = fabrics::node_places(evaluator.cluster(q).fabric);
  std::map<int, int> on_leaf, in_pod;
  for (const NodePlace& place : places_) {
    per_leaf_ = std::max(per_leaf_, ++on_leaf[place.leaf]);
    per_pod_ = std::max(per_pod_, ++in_pod[place.pod]);
  }
}

Gang GangSpeed::tightest(int nodes) const {
  Gang out;
  for (int left = nodes; left > 0; left -= per_pod_) {
    out.emplace_back();
    for (int in_pod = std::min(left, per_pod_); in_pod > 0; in_pod -= per_leaf_)
      out.back().push_back(std::min(in_pod, per_leaf_));
  }
  return out;
}

void GangSpeed::place(Question& q) const {
  if (places_.empty() || q.cluster.nodes < 2) return;
  q.cluster.fabric.choice.gang = tightest(q.cluster.nodes);
  q.cluster.fabric.choice.gang_of = nodes_;
}

double GangSpeed::step(std::size_t stream, Gang gang) const {
  Question q = question(scenario_, workload_of(scenario_, scenario_.campaign->streams[stream]));
  q.failures.reset();
  q.gpus.reset();
  q.cluster.nodes = GangKind{gang}.nodes;
  q.cluster.fabric.choice.gang = std::move(gang);
  q.cluster.fabric.choice.gang_of = nodes_;
  return evaluator_.run(q).parts.total.base();
}

double GangSpeed::slowdown(std::size_t stream, const Gang& gang) {
  const GangKind kind{gang};
  if (places_.empty() || kind.leaves < 2) return 1;
  const auto [it, fresh] = known_.emplace(
      std::tuple{stream, kind.nodes, kind.leaves, kind.pods, kind.least_on_leaf, kind.least_in_pod}, 1.0);
  if (fresh)
    it->second =
        std::max(1.0, step(stream, standing_for(kind, per_leaf_)) / step(stream, tightest(kind.nodes)));
  return it->second;
}

}  // namespace rackcast
