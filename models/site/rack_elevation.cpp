#include "models/site/rack_elevation.hpp"

#include <algorithm>
#include <numeric>

namespace rackcast {

std::string_view to_string(RackSide side) {
  return side == RackSide::front ? "front" : "rear";
}

std::vector<std::vector<Placed>> rack_elevations(const std::vector<RackItem>& items,
                                                 const std::vector<RackCounts>& racks) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (items[a].kind != items[b].kind) return items[a].kind < items[b].kind;
    return items[a].weight > items[b].weight;
  });
  std::vector<int> next(items.size(), 0);
  std::vector<std::vector<Placed>> out;
  for (const RackCounts& counts : racks) {
    std::vector<Placed>& rack = out.emplace_back();
    int u = 1;
    for (const std::size_t item : order) {
      const RackSide side = items[item].kind == RackItemKind::network ? RackSide::rear : RackSide::front;
      for (int n = 0; n < counts[item]; ++n) {
        rack.push_back({item, next[item]++, u, side});
        u += items[item].units;
      }
    }
  }
  return out;
}

}  // namespace rackcast
