// Redundant supply, and staff from the catalogue.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

SiteSpec site(const std::string& text) {
  return read_site(parse_json(text, "site"));
}

Result simulated(const std::vector<std::string>& sets) {
  return simulate(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/buy_or_rent.json", sets),
                  Catalog::builtin());
}

}  // namespace

TEST_CASE("of a redundant feed only what can fail over may be used") {
  CHECK(site(R"({"power": {"feed": "200 kW"}})").power.usable_feed() == Power{200e3});
  CHECK(site(R"({"power": {"feed": "200 kW", "redundancy": "2N"}})").power.usable_feed() == Power{100e3});
  // Five modules of 40 kW, one of which may fail.
  CHECK(site(R"({"power": {"feed": "200 kW", "redundancy": "N+1", "modules": 5}})").power.usable_feed() ==
        Power{160e3});
  CHECK_THROWS_AS((void)site(R"({"power": {"redundancy": "2N"}})"), Error);
  CHECK_THROWS_AS((void)site(R"({"power": {"feed": "1 MW", "redundancy": "3N"}})"), Error);
  CHECK_THROWS_AS((void)site(R"({"power": {"feed": "1 MW", "modules": 3}})"), Error);
  CHECK_THROWS_AS((void)site(R"({"power": {"feed": "1 MW", "redundancy": "N+1", "modules": 1}})"), Error);
}

TEST_CASE("size keeps to what a redundant feed carries") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/power_limited_site.json";
  const Catalog catalog = Catalog::builtin();
  CHECK(size(load_scenario(file), catalog).answer.feasible);
  const Result twice = size(load_scenario(file, {"site.power.redundancy=2N"}), catalog);  // 50 of 73 kW
  CHECK_FALSE(twice.answer.feasible);
  CHECK(twice.answer.binding_constraint == "site_power");
  CHECK(size(load_scenario(file, {"site.power.redundancy=2N", "site.power.feed=200 kW"}), catalog)
            .answer.feasible);
}

TEST_CASE("staff is people at what an employer pays, from the catalogue where the scenario does not say") {
  // 8 DGX-1V have 16 sockets: 16 / 250 x 88,410 / 0.701 = 8,072 USD a year.
  const auto yearly = [](const Result& r) {
    return (r.site->cost->own.staff * hours_of_year).base();
  };
  const Result catalogue = simulated({"site.prices.staff={}"});
  CHECK(yearly(catalogue) == doctest::Approx(8072).epsilon(0.001));
  CHECK(catalogue.site->cost->staff_known);
  // Two people at 100,000: 200,000 / 0.701.
  CHECK(yearly(simulated({R"(site.prices.staff={"people": 2, "wage": "100000 USD/year"})"})) ==
        doctest::Approx(285307).epsilon(0.001));
  CHECK(yearly(simulated({})) == doctest::Approx(60000));
  CHECK_THROWS_AS((void)site(R"({"prices": {"date": "2020-01-01", "staff": {"people": -1}}})"), Error);
  CHECK_THROWS_AS((void)site(R"({"prices": {"date": "2020-01-01", "staff": {"wage": "5 kW"}}})"), Error);
  CHECK_THROWS_AS((void)site(R"({"prices": {"date": "2020-01-01", "staff": {"poeple": 1}}})"), Error);
}
