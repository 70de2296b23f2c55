// Racks against sums by hand and against the published DGX PODs.
#include "models/site/rack_packing.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "models/site/rack_elevation.hpp"
#include "models/site/rack_patterns.hpp"
#include "sim/base/error.hpp"
#include "tests/needed_tool.hpp"

using namespace rackcast;

namespace {

RackItem item(const char* name, int count, int units, double watts, RackItemKind kind = RackItemKind::node) {
  RackItem out;
  out.id = out.name = name;
  out.kind = kind;
  out.count = count;
  out.units = units;
  out.power = Power{watts};
  return out;
}

RackSpec rack_of(int units, double watts = 0) {
  RackSpec rack;
  rack.units = units;
  rack.power = Power{watts};
  return rack;
}

int devices(const Packing& packing) {
  int sum = 0;
  for (const RackCounts& rack : packing.racks) sum = std::accumulate(rack.begin(), rack.end(), sum);
  return sum;
}

}  // namespace

TEST_CASE("rack units fill a rack") {
  // 42 / 3 = 14 servers of three units; 15 need a second rack.
  CHECK(pack_racks({item("a", 14, 3, 0)}, rack_of(42)).racks.size() == 1);
  const Packing two = pack_racks({item("a", 15, 3, 0)}, rack_of(42));
  CHECK(two.racks.size() == 2);
  CHECK(two.optimal());
  CHECK(devices(two) == 15);
}

TEST_CASE("power, weight, outlets and ports each limit a rack") {
  std::vector<RackItem> items{item("a", 10, 1, 3500)};
  RackSpec rack = rack_of(42, 10'500);  // three of them
  CHECK(pack_racks(items, rack).racks.size() == 4);
  rack.power = Power{0};
  items[0].weight = Mass{200};
  rack.load = Mass{1000};  // five
  CHECK(pack_racks(items, rack).racks.size() == 2);
  items[0].outlets = 4;
  rack.outlets = 8;  // two
  CHECK(pack_racks(items, rack).racks.size() == 5);
  items[0].ports = 9;
  rack.ports = 9;  // one
  CHECK(pack_racks(items, rack).racks.size() == 10);
}

TEST_CASE("a device that fits no rack says why") {
  RackItem big = item("big", 1, 10, 14'300);
  big.weight = Mass{150};
  big.depth = Length{1.2};
  CHECK(misfit(big, rack_of(42)) == std::nullopt);
  CHECK(misfit(big, rack_of(8))->find("10 rack units") != std::string::npos);
  CHECK(misfit(big, rack_of(42, 12'000))->find("14.3 kW") != std::string::npos);
  RackSpec rack = rack_of(42);
  rack.load = Mass{100};
  CHECK(misfit(big, rack)->find("weighs") != std::string::npos);
  rack.load = Mass{0};
  rack.depth = Length{1.07};
  CHECK(misfit(big, rack)->find("deep") != std::string::npos);
  rack.depth = Length{0};
  rack.reserved_units = 40;
  CHECK_THROWS_AS(pack_racks({big}, rack), Error);
}

TEST_CASE("nothing to pack takes no rack") {
  CHECK(pack_racks({}, rack_of(42)).racks.empty());
  CHECK(pack_racks({item("a", 0, 100, 0)}, rack_of(42)).racks.empty());
}

TEST_CASE("equal racks come out where they can") {
  // Two PODs' worth: each rack gets half of everything.
  const Packing two =
      pack_racks({item("dgx1", 18, 3, 2900), item("storage", 24, 1, 400, RackItemKind::storage),
                  item("switch", 4, 1, 150, RackItemKind::network)},
                 rack_of(42, 35'000));
  REQUIRE(two.racks.size() == 2);
  CHECK(two.racks[0] == RackCounts{9, 12, 2});
  CHECK(two.racks[1] == RackCounts{9, 12, 2});
  CHECK(two.method == "even spread");
}

TEST_CASE("the exact method finds what the heuristics miss") {
  const std::vector<RackItem> items{item("a", 4, 5, 0), item("b", 4, 4, 0), item("c", 8, 3, 0)};
  // 20 + 16 + 24 = 60 units: six racks of 10 at least, if 4+3+3 four times and 5+5 twice.
  const Packing quick = pack_racks(items, rack_of(10), PackMethod::first_fit);
  CHECK(rack_lower_bound(items, rack_of(10)) == 6);
  CHECK(devices(quick) == 16);
  if (!needed(exact_packing_available(), "the exact packing of racks (CBC)", "coinor-libcbc-dev")) {
    CHECK_THROWS_WITH_AS(pack_racks(items, rack_of(10), PackMethod::exact), doctest::Contains("CBC"), Error);
    return;
  }
  const Packing exact = pack_racks(items, rack_of(10), PackMethod::exact);
  CHECK(exact.racks.size() == 6);
  CHECK(exact.optimal());
  CHECK(devices(exact) == 16);
}

TEST_CASE("the exact method proves that the bound of sums cannot be met") {
  if (!needed(exact_packing_available(), "the exact packing of racks (CBC)", "coinor-libcbc-dev")) return;
  // 9 of 4 units in racks of 10: two fit a rack, so five racks, though 36 units would fill but four.
  const std::vector<RackItem> items{item("a", 9, 4, 0)};
  const Packing packing = pack_racks(items, rack_of(10));
  CHECK(rack_lower_bound(items, rack_of(10)) == 4);
  CHECK(packing.racks.size() == 5);
  CHECK(packing.lower_bound == 5);
  CHECK(packing.optimal());
}

TEST_CASE("too many ways to fill a rack are not enumerated") {
  std::vector<RackItem> items;
  for (int i = 0; i < 8; ++i) items.push_back(item("x", 50, 1, 100 + i));
  CHECK_FALSE(maximal_patterns(items, rack_of(48, 4'000)).has_value());
  const Packing packing = pack_racks(items, rack_of(48, 4'000));
  CHECK(packing.lower_bound >= 10);
  CHECK(devices(packing) == 400);
}

TEST_CASE("a rack is filled from the bottom, servers first, switches last and at the rear") {
  RackItem heavy = item("heavy", 2, 10, 0), light = item("light", 1, 4, 0);
  heavy.weight = Mass{150};
  light.weight = Mass{20};
  const std::vector<RackItem> items{item("switch", 1, 1, 0, RackItemKind::network), light, heavy,
                                    item("disk", 2, 1, 0, RackItemKind::storage)};
  const auto racks = rack_elevations(items, {{1, 1, 2, 2}});
  REQUIRE(racks.size() == 1);
  REQUIRE(racks[0].size() == 6);
  const int units[] = {1, 11, 21, 25, 26, 27};
  const std::size_t which[] = {2, 2, 1, 3, 3, 0};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(racks[0][i].u == units[i]);
    CHECK(racks[0][i].item == which[i]);
  }
  CHECK(racks[0][1].number == 1);
  CHECK(racks[0][5].side == RackSide::rear);
  CHECK(racks[0][0].side == RackSide::front);
}

TEST_CASE("a device that comes in a rack of its own shares none, and its rack has its own limit") {
  RackItem whole = item("nvl72", 3, 48, 120'000);
  whole.own_rack = Power{120'000};
  const std::vector<RackItem> items{whole, item("switch", 4, 1, 500, RackItemKind::network)};
  const RackSpec rack = rack_of(42, 25'000);
  CHECK(misfit(whole, rack) == std::nullopt);  // neither 48 units nor 120 kW are the site's racks' matter
  const Packing packing = pack_racks(items, rack);
  REQUIRE(packing.racks.size() == 4);  // three of their own, one for the switches
  CHECK(packing.racks[0] == RackCounts{1, 0});
  CHECK(packing.racks[3] == RackCounts{0, 4});
  CHECK(packing.optimal());
  CHECK(pack_racks({whole}, rack).method == "racks of their own");
  whole.own_rack = Power{100'000};
  CHECK(misfit(whole, rack)->find("its own rack may draw 100 kW") != std::string::npos);
  CHECK_THROWS_AS(pack_racks({whole}, rack), Error);
}
