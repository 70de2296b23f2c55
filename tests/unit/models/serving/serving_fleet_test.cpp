#include "models/serving/serving_fleet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

TEST_CASE("a day has the mean and the peak that were asked, once") {
  for (const double peak : {1.0, 1.5, 2.2, 6.0, 12.0}) {
    const DayProfile day = day_profile(peak);
    CAPTURE(peak);
    CHECK(std::accumulate(day.begin(), day.end(), 0.0) / 24 == doctest::Approx(1));
    CHECK(std::ranges::max(day) == doctest::Approx(peak));
    CHECK(std::ranges::max_element(day) - day.begin() == (peak > 1 ? 14 : 0));
    CHECK(std::ranges::min(day) >= 0);
  }
  CHECK_THROWS_AS((void)day_profile(0.9), Error);
  CHECK_THROWS_AS((void)day_profile(13), Error);
}

TEST_CASE("with one spare a fleet is up as the binomial says") {
  // Two of three nodes, each down a tenth of the time: 0.9^3 + 3 x 0.9^2 x 0.1 = 0.729 + 0.243.
  CHECK(fleet_availability(2, 1, 0.1) == doctest::Approx(0.972));
  CHECK(fleet_availability(3, 0, 0.1) == doctest::Approx(0.729));
  CHECK(fleet_availability(5, 0, 0) == 1);
  CHECK(fleet_availability(5, 3, 1) == 0);
}

TEST_CASE("spares are the least that keep the availability") {
  const auto spares = spares_for_availability(10, 0.01, 0.999, 5);
  REQUIRE(spares);
  CHECK(fleet_availability(10, *spares, 0.01) >= 0.999);
  CHECK(fleet_availability(10, *spares - 1, 0.01) < 0.999);
  CHECK(spares_for_availability(10, 0, 0.999, 5) == 0);
  CHECK_FALSE(spares_for_availability(10, 0.5, 0.999, 3).has_value());
}

TEST_CASE("serving takes less memory than training, and more in larger batches") {
  const Workload network = load_workload("resnet50-v1.5");
  const Bytes one = serving_memory(network, 1, Precision::fp16);
  CHECK(one < serving_memory(network, 64, Precision::fp16));
  CHECK(serving_memory(network, 64, Precision::int8) < serving_memory(network, 64, Precision::fp32));
  CHECK(serving_memory(network, 64, Precision::fp32) <
        training_memory(network, {.batch = 64, .precision = Precision::fp32}).total());
  CHECK_THROWS_AS((void)serving_memory(network, -1, Precision::fp16), Error);
}
