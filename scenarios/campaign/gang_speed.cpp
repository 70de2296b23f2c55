#include "scenarios/campaign/gang_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/cluster.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/evaluator.hpp"
#include "scenarios/scenario.hpp"
#include "topologies/fabrics/gang.hpp"

namespace rackcast {

namespace {

/// So many nodes on as few leaves as can be, the fullest first.
std::vector<int> tightest(int nodes, int per_leaf) {
  std::vector<int> out(static_cast<std::size_t>(nodes / per_leaf), per_leaf);
  if (nodes % per_leaf > 0) out.push_back(nodes % per_leaf);
  return out;
}

/// `least` nodes on one leaf, the others spread evenly over the other leaves.
std::vector<int> standing_for(int nodes, int leaves, int least) {
  std::vector<int> out;
  const int others = leaves - 1;
  for (int i = 0; i < others; ++i) out.push_back((nodes - least) / others + (i < (nodes - least) % others));
  out.push_back(least);
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
  per_leaf_ = fabrics::nodes_on_a_leaf(evaluator.cluster(q).fabric);
}

void GangSpeed::place(Question& q) const {
  if (per_leaf_ == 0 || q.cluster.nodes < 2) return;
  q.cluster.fabric.choice.gang = tightest(q.cluster.nodes, per_leaf_);
  q.cluster.fabric.choice.gang_of = nodes_;
}

double GangSpeed::step(std::size_t stream, std::vector<int> gang) const {
  Question q = question(scenario_, workload_of(scenario_, scenario_.campaign->streams[stream]));
  q.failures.reset();
  q.gpus.reset();
  q.cluster.nodes = std::accumulate(gang.begin(), gang.end(), 0);
  q.cluster.fabric.choice.gang = std::move(gang);
  q.cluster.fabric.choice.gang_of = nodes_;
  return evaluator_.run(q).parts.total.base();
}

double GangSpeed::slowdown(std::size_t stream, const std::vector<int>& gang) {
  const int nodes = std::accumulate(gang.begin(), gang.end(), 0), leaves = static_cast<int>(gang.size());
  if (per_leaf_ == 0 || leaves < 2) return 1;
  const int least = *std::ranges::min_element(gang);
  const auto [it, fresh] = known_.emplace(std::tuple{stream, nodes, leaves, least}, 1.0);
  if (fresh)
    it->second = std::max(
        1.0, step(stream, standing_for(nodes, leaves, least)) / step(stream, tightest(nodes, per_leaf_)));
  return it->second;
}

}  // namespace rackcast
