#include <doctest/doctest.h>

#include <cmath>

#include "models/data_path/data_growth.hpp"
#include "models/exchange/learning_curve.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

constexpr double kDay = 86400;

DataGrowth fleet() {  // 1 TB a day, kept twice, compressed to a half, labelled after ten days
  return {Bandwidth{1e12 / kDay}, 2, 2, Duration{10 * kDay}, std::nullopt};
}

}  // namespace

TEST_CASE("storage fills day by day with copies and compression, and labels come late") {
  const GrowthPoint p = growth_at(fleet(), Duration{30 * kDay});
  CHECK(p.recorded.base() == doctest::Approx(30e12));
  CHECK(p.stored.base() == doctest::Approx(30e12));  // 30 x 2 copies / 2
  CHECK(p.usable.base() == doctest::Approx(20e12));  // 30 - 10 days
  CHECK(growth_at(fleet(), Duration{5 * kDay}).usable.base() == 0);
  CHECK(full_at(fleet(), Bytes{100e12})->base() == doctest::Approx(100 * kDay));
  const auto days = growth_series(fleet(), Duration{30 * kDay}, 30);
  REQUIRE(days.size() == 30);
  CHECK(days[0].at.base() == doctest::Approx(kDay));
  CHECK(days[29].stored.base() == doctest::Approx(30e12));
}

TEST_CASE("retention bounds what is stored and what can be trained on") {
  DataGrowth g = fleet();
  g.retention = Duration{90 * kDay};
  CHECK(growth_at(g, Duration{365 * kDay}).stored.base() == doctest::Approx(90e12));
  CHECK(growth_at(g, Duration{365 * kDay}).usable.base() == doctest::Approx(80e12));
  CHECK(!full_at(g, Bytes{100e12}));
  g.retention = Duration{10 * kDay};
  CHECK_THROWS_WITH_AS(growth_at(g, Duration{kDay}), doctest::Contains("before they are labelled"), Error);
  g.retention.reset();
  g.compression = 0.5;
  CHECK_THROWS_AS(growth_at(g, Duration{kDay}), Error);
}

TEST_CASE("a power law is recovered from points on it, and extrapolated to a target") {
  // error = 2 D^-0.25: at 10^4 0.2, at 10^6 0.0632; 0.02 needs (2/0.02)^4 = 10^8.
  std::vector<LearningPoint> points;
  for (const double d : {1e4, 1e5, 1e6}) points.push_back({d, 2 * std::pow(d, -0.25)});
  const LearningCurve curve = fit_learning_curve(points);
  CHECK(curve.a == doctest::Approx(2));
  CHECK(curve.b == doctest::Approx(0.25));
  CHECK(curve.c == 0);
  const auto needed = samples_for(curve, 0.02);
  REQUIRE(needed);
  CHECK(needed->samples == doctest::Approx(1e8).epsilon(1e-3));
  CHECK(needed->beyond == doctest::Approx(100).epsilon(1e-3));
}

TEST_CASE("an error that cannot be trained away is found, and a target below it is unreachable") {
  std::vector<LearningPoint> points;
  for (const double d : {1e3, 1e4, 1e5, 1e6, 1e7}) points.push_back({d, 3 * std::pow(d, -0.3) + 0.05});
  const LearningCurve curve = fit_learning_curve(points);
  CHECK(curve.c == doctest::Approx(0.05).epsilon(1e-3));
  CHECK(curve.b == doctest::Approx(0.3).epsilon(1e-2));
  CHECK(!samples_for(curve, 0.04));
}

TEST_CASE("the interval widens with scatter and with distance") {
  std::vector<LearningPoint> points;
  double sign = 1;
  for (const double d : {1e4, 3e4, 1e5}) {
    points.push_back({d, 2 * std::pow(d, -0.25) * (1 + 0.02 * sign)});
    sign = -sign;
  }
  const LearningCurve curve = fit_learning_curve(points);
  const auto near = samples_for(curve, 0.1), far = samples_for(curve, 0.03);
  REQUIRE(near);
  REQUIRE(far);
  CHECK(near->low < near->samples);
  CHECK(near->samples < near->high);
  CHECK(far->samples / far->low > near->samples / near->low);
}

TEST_CASE("points that say nothing are errors") {
  CHECK_THROWS_AS(fit_learning_curve(std::vector<LearningPoint>{{1e4, 0.2}}), Error);
  CHECK_THROWS_AS(fit_learning_curve(std::vector<LearningPoint>{{1e4, 0.2}, {1e4, 0.1}}), Error);
  CHECK_THROWS_AS(fit_learning_curve(std::vector<LearningPoint>{{1e4, 0.2}, {1e5, 0.0}}), Error);
  CHECK_THROWS_WITH_AS(fit_learning_curve(std::vector<LearningPoint>{{1e4, 0.1}, {1e5, 0.2}}),
                       doctest::Contains("does not fall"), Error);
}
