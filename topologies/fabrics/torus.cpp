/// Tori of two and three dimensions: switches with nodes, each joined to its two neighbours per dimension
/// (Dally & Towles, Principles and Practices of Interconnection Networks, 2004, chapter 5).
///
/// The oversubscription is that of a switch's node ports over its ports to all neighbours. A ring of two
/// switches is one bundle of twice the cables.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "topologies/catalog/limits.hpp"
#include "topologies/fabrics/shapes.hpp"

namespace rackcast::fabrics {
namespace {

/// The box of `dimensions` sides that holds `switches` with the fewest left over, no side more than twice
/// another where that is possible; the longest side first.
std::vector<int> cubic(int switches, int dimensions) {
  std::vector<int> best;
  long best_cost = 0;
  const auto consider = [&](std::vector<int> sides) {
    std::ranges::sort(sides, std::greater{});
    const long volume = std::accumulate(sides.begin(), sides.end(), 1L, std::multiplies{});
    const long cost =
        volume + (sides.front() > 2 * sides.back() ? 1'000'000L * sides.front() : 0) + sides.front();
    if (best.empty() || cost < best_cost) {
      best = std::move(sides);
      best_cost = cost;
    }
  };
  for (int a = 1; a <= switches && a * a <= 4 * switches; ++a) {
    const int rest = (switches + a - 1) / a;
    if (dimensions == 2) {
      consider({a, rest});
      continue;
    }
    for (int b = 1; b <= rest && b * b <= 4 * rest; ++b) consider({a, b, (rest + b - 1) / b});
  }
  return best;
}

void join_neighbours(FabricPlan& plan, int cables) {
  std::map<std::pair<int, int>, int> bundles;
  for (int at = 0; at < plan.leaves; ++at) {
    int stride = 1;
    for (auto side = plan.torus.rbegin(); side != plan.torus.rend(); ++side) {
      const int place = at / stride % *side;
      const int next = at + (place + 1 < *side ? stride : -place * stride);
      if (next != at) bundles[std::minmax(at, next)] += cables;
      stride *= *side;
    }
  }
  for (const auto& [ends, count] : bundles) plan.trunks.push_back({ends.first, ends.second, count});
}

/// The number of cables to each neighbour that `down` ports downwards need.
int cables_to_neighbour(int down, double rate, double oversubscription, int neighbours) {
  return (ports_up(down, rate, oversubscription) + neighbours - 1) / neighbours;
}

/// The most ports downwards of a switch whose other ports are enough for all neighbours; 0 if there are none.
int torus_ports_down(int ports, double rate, double oversubscription, int neighbours) {
  int down = ports - neighbours;
  while (down >= 1 &&
         down + neighbours * cables_to_neighbour(down, rate, oversubscription, neighbours) > ports)
    --down;
  return std::max(down, 0);
}

std::string plan_torus(const FabricRequest& request, FabricPlan& plan, int dimensions) {
  if (plan.rails == RailPlan::by_rail) return "a torus has no rails; take \"by_node\" or \"separate\"";
  plan.trunk_link = port_link_spec(request.catalog, plan.leaf.fabric, *plan.leaf.port_rate);
  const double rate = *plan.port_link.raw / *plan.trunk_link.raw;
  const int neighbours = 2 * dimensions;
  const FabricChoice& choice = request.choice;
  const int ports = *plan.leaf.ports;
  plan.down =
      choice.down_ports == 0
          ? torus_ports_down(ports, rate, 1, neighbours)
          : std::min(choice.down_ports, torus_ports_down(ports, rate, choice.oversubscription, neighbours));
  if (plan.down < 1) return fmt::format("{} has too few ports for a torus", plan.leaf.id);
  const int cables = cables_to_neighbour(plan.down, rate, choice.oversubscription, neighbours);
  plan.up = cables * neighbours;
  plan.uplinks_per_pair = cables;
  place_ports(plan);
  if (plan.leaves > limits::most_of_a_kind) {
    return fmt::format("a torus needs {} switches of {} node ports; {} are the most", plan.leaves, plan.down,
                       limits::most_of_a_kind);
  }
  plan.torus = request.choice.torus.empty() ? cubic(plan.leaves, dimensions) : request.choice.torus;
  if (static_cast<int>(plan.torus.size()) != dimensions) {
    return fmt::format("a torus of {} dimensions has as many sides, not {}", dimensions, plan.torus.size());
  }
  const long volume = std::accumulate(plan.torus.begin(), plan.torus.end(), 1L, std::multiplies{});
  if (volume < plan.leaves || volume > limits::most_of_a_kind) {
    return fmt::format("a torus of {} has {} switches of {} node ports; {} are needed, and {} are the most",
                       fmt::join(plan.torus, " x "), volume, plan.down, plan.leaves, limits::most_of_a_kind);
  }
  plan.leaves = static_cast<int>(volume);
  join_neighbours(plan, cables);
  return {};
}

}  // namespace

std::string plan_torus_2d(const FabricRequest& request, FabricPlan& plan) {
  return plan_torus(request, plan, 2);
}
std::string plan_torus_3d(const FabricRequest& request, FabricPlan& plan) {
  return plan_torus(request, plan, 3);
}

}  // namespace rackcast::fabrics
