// Random racks: everything is placed, nothing is overloaded, and the exact method is never worse and never
// below the bound. Small cases are compared with trying everything.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "models/site/rack_elevation.hpp"
#include "models/site/rack_packing.hpp"
#include "models/site/rack_patterns.hpp"
#include "sim/base/random.hpp"
#include "tests/needed_tool.hpp"

using namespace rackcast;

namespace {

int whole(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.uniform(0, high - low + 1));
}

std::vector<RackItem> random_items(RandomStream& random, int kinds, int most) {
  std::vector<RackItem> items;
  for (int k = 0; k < kinds; ++k) {
    RackItem item;
    item.name = item.id = std::to_string(k);
    item.count = whole(random, 1, most);
    item.units = whole(random, 1, 6);
    item.power = Power{static_cast<double>(whole(random, 100, 4000))};
    item.weight = Mass{static_cast<double>(whole(random, 5, 80))};
    items.push_back(item);
  }
  return items;
}

/// The fewest racks, by trying all: from each state (devices left) one more rack of any filling.
int fewest(const RackCounts& left, const std::vector<RackCounts>& patterns,
           std::map<RackCounts, int>& known) {
  if (std::accumulate(left.begin(), left.end(), 0) == 0) return 0;
  if (const auto it = known.find(left); it != known.end()) return it->second;
  int best = 1'000'000;
  for (const RackCounts& pattern : patterns) {
    RackCounts next = left;
    for (std::size_t k = 0; k < next.size(); ++k) next[k] = std::max(0, next[k] - pattern[k]);
    if (next != left) best = std::min(best, 1 + fewest(next, patterns, known));
  }
  return known[left] = best;
}

}  // namespace

TEST_CASE("racks are full of everything and of nothing too much") {
  for (int seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    RandomStream random{static_cast<std::uint64_t>(seed), "racks"};
    const auto items = random_items(random, whole(random, 1, 5), 30);
    RackSpec rack;
    rack.units = whole(random, 8, 48);
    rack.power = Power{static_cast<double>(whole(random, 4000, 30'000))};
    rack.load = Mass{static_cast<double>(whole(random, 80, 1000))};
    const Packing packing = pack_racks(items, rack);
    RackCounts sum(items.size(), 0);
    for (const RackCounts& counts : packing.racks) {
      CHECK(fits(items, counts, rack));
      for (std::size_t k = 0; k < items.size(); ++k) sum[k] += counts[k];
    }
    for (std::size_t k = 0; k < items.size(); ++k) CHECK(sum[k] == items[k].count);
    CHECK(static_cast<int>(packing.racks.size()) >= packing.lower_bound);
    CHECK(packing.lower_bound >= rack_lower_bound(items, rack));
    CHECK(packing.racks.size() <= pack_racks(items, rack, PackMethod::first_fit).racks.size());
    // No two devices share a unit, and none stands above the rack.
    for (const auto& placed : rack_elevations(items, packing.racks)) {
      int top = 0;
      for (const Placed& p : placed) {
        CHECK(p.u == top + 1);
        top += items[p.item].units;
      }
      CHECK(top <= rack.units);
    }
  }
}

TEST_CASE("the exact packing is the best of all packings") {
  if (!needed(exact_packing_available(), "the exact packing of racks (CBC)", "coinor-libcbc-dev")) return;
  for (int seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomStream random{static_cast<std::uint64_t>(seed), "small racks"};
    const auto items = random_items(random, whole(random, 1, 3), 5);
    RackSpec rack;
    rack.units = whole(random, 6, 14);
    rack.power = Power{static_cast<double>(whole(random, 4000, 9000))};
    const Packing exact = pack_racks(items, rack, PackMethod::exact);
    RackCounts all;
    for (const RackItem& item : items) all.push_back(item.count);
    std::map<RackCounts, int> known;
    CHECK(static_cast<int>(exact.racks.size()) == fewest(all, *maximal_patterns(items, rack), known));
    CHECK(exact.optimal());
  }
}
