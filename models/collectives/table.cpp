#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/layout.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::array algorithms{
    CollectiveAlgorithm{"ring", "every rank sends to the next; several rings where links allow", plan_ring},
    CollectiveAlgorithm{"tree", "one binary tree over the nodes, a chain inside them: up, then down",
                        plan_tree},
    CollectiveAlgorithm{"double_binary_tree",
                        "two trees with half of the payload each; leaves of one are "
                        "inner nodes of the other",
                        plan_double_binary_tree},
    CollectiveAlgorithm{"recursive_doubling", "log2(n) exchanges of the whole payload",
                        plan_recursive_doubling},
    CollectiveAlgorithm{"halving_doubling", "log2(n) exchanges of halves, and back", plan_halving_doubling},
    CollectiveAlgorithm{"hierarchical", "reduce-scatter in the node, rings between equal ranks, all-gather",
                        plan_hierarchical},
    CollectiveAlgorithm{"leader_ring", "reduce to one rank of each node, ring of these, broadcast",
                        plan_leader_ring},
    CollectiveAlgorithm{"torus_2d", "reduce-scatter along rows, all-reduce along columns, all-gather",
                        plan_torus_2d},
    CollectiveAlgorithm{"sharp", "switches of the fabric add (InfiniBand SHARP)", plan_sharp},
    CollectiveAlgorithm{"nvls", "NVSwitches add and multicast (NVLink SHARP)", plan_nvls},
    CollectiveAlgorithm{"nvls_tree", "NVLS inside the nodes, a double binary tree between them",
                        plan_nvls_tree},
    CollectiveAlgorithm{"pairwise", "every rank sends to every other in turn", plan_pairwise},
};

}  // namespace

std::span<const CollectiveAlgorithm> collective_algorithms() {
  return algorithms;
}

const CollectiveAlgorithm& collective_algorithm(std::string_view name) {
  for (const CollectiveAlgorithm& a : algorithms)
    if (a.name == name) return a;
  std::vector<std::string_view> known;
  for (const CollectiveAlgorithm& a : algorithms) known.push_back(a.name);
  throw Error{fmt::format("there is no collective algorithm \"{}\"", name),
              {},
              fmt::format("known: {}", fmt::join(known, ", "))};
}

std::string_view to_string(Collective operation) {
  constexpr std::array<std::string_view, 6> names{"all_reduce", "reduce_scatter", "all_gather",
                                                  "broadcast",  "all_to_all",     "send_recv"};
  return names[static_cast<std::size_t>(operation)];
}

double bus_factor(Collective operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return (n - 1) / n;
    case Collective::broadcast:
    case Collective::send_recv:
      return 1;
  }
  return 1;
}

Duration CollectivePlan::latency() const {
  Duration sum{0};
  for (const CollectiveStage& stage : stages) sum += stage.latency;
  return sum;
}

CollectivePlan priced(CollectivePlan plan, const HopLatency& hop) {
  for (CollectiveStage& stage : plan.stages) stage.latency = stage.hops.at(hop);
  return plan;
}

Bandwidth link_rate(const CollectiveStage& stage, const LinkRates& rates) {
  Bandwidth least{std::numeric_limits<double>::infinity()};
  stage.pattern->each(
      [&](const LinkLoad& load, int) { least = std::min(least, rates.of(load.link) / load.bytes); });
  return least;
}

Duration time_alone(const CollectivePlan& plan, Bytes payload, const LinkRates& rates) {
  Duration sum{0};
  for (const CollectiveStage& stage : plan.stages) {
    const Bandwidth rate = std::min(stage.ceiling, link_rate(stage, rates) / stage.scale);
    sum += stage.latency + payload / rate;
  }
  return sum;
}

void scale_loads(CollectivePlan& plan, double factor) {
  for (CollectiveStage& stage : plan.stages) {
    stage.ceiling /= factor;
    stage.scale *= factor;
  }
}

}  // namespace rackcast
