#include "models/serving/serving.hpp"

#include <doctest/doctest.h>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

/// One request at a time, 10 ms each.
ServingSpec single(double rate) {
  return {.batch_time = {Duration{0.01}}, .rate = Frequency{rate}, .requests = 200'000};
}

}  // namespace

TEST_CASE("a server of one request at a time waits as the M/D/1 queue does") {
  // Pollaczek-Khinchine for constant service: wait = rho s / (2 (1 - rho)). rho = 0.5: 5 ms; with 10 ms of
  // service 15 ms in all.
  const ServingResult half = simulate_serving(single(50));
  CHECK(half.mean.base() == doctest::Approx(0.015).epsilon(0.02));
  CHECK(half.utilisation == doctest::Approx(0.5).epsilon(0.02));
  // rho = 0.8: 0.8 * 10 / 0.4 = 20 ms, 30 ms in all.
  CHECK(simulate_serving(single(80)).mean.base() == doctest::Approx(0.030).epsilon(0.05));
}

TEST_CASE("light load sees one batch of one") {
  const ServingResult light = simulate_serving(single(0.1));
  CHECK(light.p50.base() == doctest::Approx(0.01));
  CHECK(light.mean_batch == 1);
}

TEST_CASE("batches that cost no more than one request take any load up to their size") {
  ServingSpec spec{.batch_time = std::vector<Duration>(8, Duration{0.01}), .rate = Frequency{700}};
  const ServingResult r = simulate_serving(spec);
  CHECK_FALSE(r.saturated);
  CHECK(r.mean_batch > 5);
  spec.rate = Frequency{801};  // 8 per 10 ms is the most
  CHECK(simulate_serving(spec).saturated);
}

TEST_CASE("the highest rate keeps the limit, and a tenth more breaks it") {
  ServingSpec spec = single(1);
  const Duration limit{0.05};
  spec.rate = highest_rate(spec, limit);
  CHECK(spec.rate.base() > 30);
  CHECK(simulate_serving(spec).p99 <= limit);
  spec.rate *= 1.1;
  CHECK(simulate_serving(spec).p99 > limit);
  CHECK(highest_rate(single(1), Duration{0.005}).base() == 0);
}

TEST_CASE("the same seed gives the same latencies, another seed others") {
  ServingSpec spec = single(50);
  spec.requests = 1000;
  CHECK(simulate_serving(spec).p99 == simulate_serving(spec).p99);
  const Duration before = simulate_serving(spec).mean;
  spec.seed = 2;
  CHECK(simulate_serving(spec).mean != before);
}

TEST_CASE("nonsense is an error") {
  CHECK_THROWS_AS((void)simulate_serving({}), Error);
  CHECK_THROWS_AS((void)simulate_serving({.batch_time = {Duration{1}}, .rate = Frequency{0}}), Error);
  CHECK_THROWS_AS((void)simulate_serving({.batch_time = {Duration{0}}, .rate = Frequency{1}}), Error);
}
