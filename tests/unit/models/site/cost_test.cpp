// Cables and money against sums by hand.
#include "models/site/cost.hpp"

#include <doctest/doctest.h>

#include "models/site/cabling.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

TEST_CASE("cables are as long as the way between their ends, in the lengths that are sold") {
  const Catalog catalog = Catalog::builtin();
  const FabricPlan plan = plan_fabric(catalog, node_spec(catalog, "dgx1v_16gb"), 2);
  REQUIRE(plan.leaves == 1);
  Positions positions;
  // The first node in the rack of the switch, 41 - 1 = 40 units below: 40 x 0.04445 + 0.6 = 2.4 m, sold as 3.
  // The second in the next: (84 - 1 - 41) x 0.04445 + 0.6 + 2 x 0.6 + 0.6 = 4.3 m, sold as 5: copper
  // reaches 3.
  positions.nodes = {{0, 1}, {1, 1}};
  positions.switches = {{0, 41}};
  const auto groups = cables(catalog, plan, positions, {});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].length.base() == 3);
  CHECK(groups[0].count == 4);
  CHECK(groups[0].product == "edr_dac_2m");
  CHECK(groups[1].length.base() == 5);
  CHECK(groups[1].count == 4);
  CHECK(groups[1].product == "edr_aoc_15m");
}

TEST_CASE("every cable of the network is counted once") {
  const Catalog catalog = Catalog::builtin();
  FabricChoice choice;
  choice.storage_servers = 12;
  const FabricPlan plan = plan_fabric(catalog, node_spec(catalog, "dgx1v_16gb"), 30, choice);
  Positions positions;
  for (int i = 0; i < 30; ++i) positions.nodes.push_back({i / 9, 1 + 3 * (i % 9)});
  for (int i = 0; i < plan.switches(); ++i) positions.switches.push_back({i % 4, 42 - i / 4});
  for (int i = 0; i < 12; ++i) positions.storage.push_back({3, 20 + i});
  int count = 0;
  for (const CableGroup& group : cables(catalog, plan, positions, {})) count += group.count;
  CHECK(count == plan.node_cables() + plan.storage_cables() + plan.trunk_cables());
}

TEST_CASE("owning costs capital whether it works or not, renting only its hours") {
  OwnCost own;
  own.capex = Money{4e6};
  own.depreciation = 4 * hours_of_year;
  own.energy_busy = Money{200e3} / hours_of_year;
  own.energy_idle = Money{100e3} / hours_of_year;
  own.support = Money{100e3} / hours_of_year;
  // A year: 1,000,000 depreciation + 100,000 support + 150,000 energy at half load.
  CHECK((own.total(0.5) * hours_of_year).base() == doctest::Approx(1'250'000));
  // A run of a tenth of a year at half load: 1,250,000 x 0.1 / 0.5.
  CHECK(own.of_run(0.1 * hours_of_year, 0.5).base() == doctest::Approx(250'000));
  CHECK(own.over_life(0.5).base() == doctest::Approx(5e6));
  own.interest = 0.08;  // on half of the purchase: 160,000
  CHECK((own.capital() * hours_of_year).base() == doctest::Approx(1'160'000));
  own.interest = 0;
  // Rent 4,100,000 a year: 1,200,000 + 100,000 u = 4,100,000 u, so u = 0.3.
  const auto even = break_even(own, Money{4.1e6} / hours_of_year);
  REQUIRE(even.has_value());
  CHECK(*even == doctest::Approx(0.3));
  CHECK((own.total(*even) * hours_of_year).base() == doctest::Approx(0.3 * 4.1e6));
  CHECK_FALSE(break_even(own, Money{1e6} / hours_of_year).has_value());
}
