#include "scenarios/evidence/joint_spread.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/measured/posterior.hpp"

using namespace rackcast;

namespace {

constexpr MovedEnds linear(double sigma) {
  return {half_of_90_percent * sigma, -half_of_90_percent * sigma};
}

}  // namespace

TEST_CASE("linear changes of independent factors add up as variances do") {
  const SpreadQuantiles q = joint_spread({linear(0.3), linear(0.4)});
  CHECK(q.high == doctest::Approx(half_of_90_percent * 0.5));
  CHECK(q.low == doctest::Approx(-half_of_90_percent * 0.5));
  CHECK(std::abs(q.median) < 1e-12);
}

TEST_CASE("a factor that only makes it slower has no faster side") {
  const SpreadQuantiles one = joint_spread({MovedEnds{0.4, 0}});
  CHECK(one.low == 0);
  CHECK(one.median == 0);
  CHECK(one.high == doctest::Approx(0.4));
  // Of two, neither acts in one draw of four. P(sum > q) = P(h1 + h2 > q) / 4 + P(h > q) / 2 with half normal
  // h.
  const SpreadQuantiles two = joint_spread({MovedEnds{0.4, 0}, MovedEnds{0.4, 0}});
  CHECK(std::abs(two.low) < 0.01);
  CHECK(two.median > 0.05);
  CHECK(two.high == doctest::Approx(0.586).epsilon(0.01));
}

TEST_CASE("of two parts that take equally long the slower one counts") {
  constexpr double sigma = 0.2;
  SideBySide parts;
  parts.of_first[0] = parts.of_second[1] = linear(sigma);
  const SpreadQuantiles q = joint_spread({}, parts);
  // Of the larger of two independent normal draws: Phi(x)^2 = 0.05, 0.5, 0.95.
  CHECK(q.low / sigma == doctest::Approx(-0.760).epsilon(0.03));
  CHECK(q.median / sigma == doctest::Approx(0.545).epsilon(0.03));
  CHECK(q.high / sigma == doctest::Approx(1.955).epsilon(0.03));
}

TEST_CASE("two halves one after the other, and a part that is never seen") {
  constexpr double sigma = 0.1;
  SideBySide halves;
  halves.first = halves.second = 0.5;
  halves.of_first[0] = halves.of_second[1] = linear(sigma);
  const SpreadQuantiles sum = joint_spread({}, halves);
  CHECK(sum.high == doctest::Approx(half_of_90_percent * sigma / std::sqrt(2.0)).epsilon(0.05));
  SideBySide hidden = halves;
  hidden.first = 1;
  hidden.second = 0.01;
  const SpreadQuantiles one = joint_spread({}, hidden);
  CHECK(one.high == doctest::Approx(half_of_90_percent * sigma).epsilon(0.01));
  CHECK(one.low == doctest::Approx(-half_of_90_percent * sigma).epsilon(0.01));
}

TEST_CASE("the pace of nodes together has a spread on several nodes alone") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_dgx2.json";
  const Catalog catalog = Catalog::builtin();
  const Scenario scenario = resolve_clusters(load_scenario(file), catalog);
  Evaluator evaluator{catalog, {}, scenario};
  Question q = questions(scenario).front();
  q.cluster.nodes = 1;
  CHECK(evaluator.spread(q).scaling == 0);
  q.cluster.nodes = 2;
  CHECK(evaluator.spread(q).scaling > 0.01);
}

TEST_CASE("issue 23: a deadline that two limits reach together is no even chance") {
  // Decoding on the CPUs and the GPUs of this cluster are nearly as fast as each other.
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_dgx2.json";
  const Catalog catalog = Catalog::builtin();
  const Scenario scenario = resolve_clusters(load_scenario(file), catalog);
  Evaluator evaluator{catalog, {}, scenario};
  const Estimate time = evaluator.predict(questions(scenario).front()).time_to_train;
  const double even = *chance_within(time, Duration{time.value});
  CHECK(even > 0.2);
  CHECK(even < 0.35);
  CHECK(time.low < 0.9 * time.value);  // both may be faster
  CHECK(*chance_within(time, Duration{*time.median}) == doctest::Approx(0.5));
}
