// PUE, heat, carbon and prices against figures that can be looked up.
#include "models/site/facility.hpp"

#include <doctest/doctest.h>

#include "models/site/prices.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("PUE comes from the plant and, where it matters, the climate") {
  const Catalog catalog = Catalog::builtin();
  CHECK(pue_of(catalog, "industry_average", "").value == 1.56);
  // Lei and Masanet 2022: very hot and humid against subarctic.
  const Pue hot = pue_of(catalog, "midsize_air_chiller", "1A"),
            cold = pue_of(catalog, "midsize_air_chiller", "8");
  CHECK(hot.value > cold.value);
  CHECK(hot.low < hot.value);
  CHECK(hot.value < hot.high);
  CHECK(pue_of(catalog, "large_airside_economizer", "1A").low == doctest::Approx(1.1688));
  CHECK(pue_of(catalog, "large_airside_economizer", "1A").water_l_per_kwh.value() > 0.7);
  CHECK_THROWS_WITH_AS(pue_of(catalog, "midsize_air_chiller", ""),
                       doctest::Contains("depends on the climate"), Error);
  CHECK_THROWS_WITH_AS(pue_of(catalog, "midsize_air_chiller", "9Z"), doctest::Contains("climate zone"),
                       Error);
  CHECK_THROWS_WITH_AS(pue_of(catalog, "penguins", ""), doctest::Contains("cooling plant"), Error);
  CHECK_THROWS_AS(pue_of(catalog, "aws", "4A"), Error);
}

TEST_CASE("how a rack is cooled says what it may draw") {
  const Catalog catalog = Catalog::builtin();
  CHECK(rack_cooling(catalog, "air").limit.value.base() == 25e3);
  CHECK(rack_cooling(catalog, "contained_air").limit.value.base() == 35e3);
  CHECK(rack_cooling(catalog, "direct_liquid").limit.value.base() == 120e3);
  CHECK_THROWS_WITH_AS(rack_cooling(catalog, "peltier"), doctest::Contains("contained_air"), Error);
}

TEST_CASE("heat in the units of facilities engineers") {
  const Catalog catalog = Catalog::builtin();
  CHECK(btu_per_hour(Power{3500}) == doctest::Approx(11942).epsilon(1e-3));  // as DGX-1's sheet prints
  CHECK(cooling_tons(catalog, Power{35169}) == doctest::Approx(10).epsilon(1e-4));
  // DGX-1: 3.5 kW and 340 CFM: its air warms by 1.76 x 3500 / 340 = 18.1 K.
  CHECK(cubic_feet_per_minute(air_flow(Power{3500}, 18.1)) == doctest::Approx(340).epsilon(0.01));
  CHECK_THROWS_AS(air_flow(Power{1}, 0), Error);
}

TEST_CASE("carbon and electricity by region") {
  const Catalog catalog = Catalog::builtin();
  // 338.66 g/kWh.
  CHECK(grid_intensity(catalog, "germany").value.base() == doctest::Approx(0.33866 / 3.6e6));
  CHECK_THROWS_WITH_AS(grid_intensity(catalog, "atlantis"), doctest::Contains("germany"), Error);
  CHECK(electricity_price(catalog, "planning_default").value.base() == doctest::Approx(0.08 / 3.6e6));
  // In euro, and the catalogue has no rate of exchange.
  CHECK_THROWS_AS(electricity_price(catalog, "nordic_large_industrial"), Error);
}

TEST_CASE("a price is the last one known at the date") {
  const Catalog catalog = Catalog::builtin();
  const auto at = [&](const char* date) {
    return price_of(catalog, "nodes", "dgx_h100", date).value();
  };
  CHECK(at("2022-10-01").unit.base() == 355'919);
  CHECK(at("2023-06-01").unit.base() == 270'000);
  CHECK(at("2030-01-01").unit.base() == 375'000);
  // A later price is none, and it is said when the first one is known.
  CHECK_FALSE(price_of(catalog, "nodes", "dgx_h100", "2020-01-01").has_value());
  CHECK(why_no_price(catalog, "nodes", "dgx_h100", "2020-01-01").find("the first is of 2022-09-29") !=
        std::string::npos);
  CHECK_FALSE(price_of(catalog, "switches", "qm8700", "2019-12-31").has_value());
  CHECK(price_of(catalog, "switches", "qm8700", "2020-01-01").has_value());
  CHECK(why_no_price(catalog, "storage", "ddn_ai200", "2019-01-01") == "no price in the catalogue");
  CHECK(price_of(catalog, "switches", "sb7800", "2019-01-01")->unit.base() == 15'000);
  CHECK_FALSE(price_of(catalog, "storage", "ddn_ai200", "2019-01-01").has_value());
}

TEST_CASE("dates are those of the calendar") {
  CHECK_NOTHROW(check_date("2020-02-29"));
  for (const char* bad : {"2019-02-29", "2019-13-01", "2019-00-10", "2019-1-1", "yesterday", "", "19-06-2019",
                          "2019-06-31", "2019/06/01"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH_AS(check_date(bad), doctest::Contains("is not a date"), Error);
  }
}

TEST_CASE("cloud prices by instance, terms and date") {
  const Catalog catalog = Catalog::builtin();
  const RentOffer offer = rent_offer(catalog, "p3.16xlarge", RentTerms::on_demand, "2024-01-01").value();
  CHECK(offer.rate.base() * 3600 == doctest::Approx(24.48));
  CHECK(offer.gpus == 8);
  CHECK(offer.date == "2023-11-16");
  // Of 2018 only the price of the launch is known, from memory; of 2016 none.
  CHECK(rent_offer(catalog, "p3.16xlarge", RentTerms::on_demand, "2018-10-31")->date == "2017-10-25");
  CHECK(rent_offer(catalog, "p3.16xlarge", RentTerms::on_demand, "2018-10-31")->confidence ==
        Confidence::memory);
  CHECK_FALSE(rent_offer(catalog, "p3.16xlarge", RentTerms::on_demand, "2016-01-01").has_value());
  CHECK(first_rate_date(catalog, "p3.16xlarge", RentTerms::on_demand) == "2017-10-25");
  const auto largest = [&](const char* date) {
    return instance_with(catalog, "v100_sxm2_16gb", RentTerms::on_demand, date);
  };
  CHECK(largest("2024-01-01") == "p3.16xlarge");
  CHECK_FALSE(largest("2016-01-01").has_value());
  CHECK_FALSE(instance_with(catalog, "titan_x_maxwell", RentTerms::on_demand, "2024-01-01").has_value());
  CHECK_THROWS_WITH_AS(rent_offer(catalog, "x1.huge", RentTerms::on_demand, "2024-01-01"),
                       doctest::Contains("p3.16xlarge"), Error);
  CHECK_THROWS_WITH_AS(rent_offer(catalog, "p3.16xlarge", RentTerms::reserved_3yr, "2024-01-01"),
                       doctest::Contains("reserved_3yr"), Error);
  CHECK_THROWS_AS(parse_rent_terms("forever"), Error);
}
