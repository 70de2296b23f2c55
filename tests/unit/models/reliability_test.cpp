// Goodput, checkpoint intervals, spares and failure rates, with the arithmetic worked by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "models/reliability/failure_rates.hpp"
#include "models/reliability/goodput.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

constexpr Duration kMinute{60}, kHour{3600};

GoodputSpec job() {
  GoodputSpec s;
  s.mttf = 3 * kHour;
  s.interval = 20 * kMinute;
  s.stall = 1 * kMinute;
  s.restart = 10 * kMinute;
  return s;
}

/// The process that the formula describes, drawn event by event: elapsed time of `count` intervals.
double played(const GoodputSpec& s, int count, RandomStream& random) {
  double elapsed = 0;
  const auto survive = [&](double span) {
    const double failure = random.exponential(s.mttf.base());
    elapsed += std::min(failure, span);
    return failure >= span;
  };
  for (int i = 0; i < count; ++i) {
    bool saved = survive((s.interval + s.stall).base());
    while (!saved) {
      elapsed += s.wait.base();
      saved = survive((s.restart + s.lag).base()) && survive((s.interval + s.stall).base());
    }
  }
  return elapsed;
}

}  // namespace

TEST_CASE("without failures goodput is interval / (interval + stall)") {
  GoodputSpec s = job();
  s.mttf = 1e9 * kHour;
  CHECK(goodput(s).useful == doctest::Approx(20.0 / 21));  // 20 of 21 minutes
  CHECK(goodput(s).saving == doctest::Approx(1.0 / 21));
}

TEST_CASE("Daly's equation, worked by hand") {
  // M = 180 min: e^(10/180) (e^(21/180) - 1) = 1.05713 x 0.12374 = 0.13081 failures in 23.546 min: 20 are
  // kept.
  const Goodput g = goodput(job());
  CHECK(g.useful == doctest::Approx(20 / 23.546).epsilon(1e-4));
  CHECK(g.useful + g.saving + g.lost + g.restart + g.wait == doctest::Approx(1));
  CHECK(g.failures_per_second * 180 * 60 == doctest::Approx(1));  // one each M of exposed time
}

TEST_CASE("the formula is the mean of the process that it describes") {
  GoodputSpec s = job();
  s.lag = 2 * kMinute;
  s.wait = 30 * kMinute;
  RandomStream random{7, "goodput"};
  constexpr int count = 200'000;
  const double share = count * s.interval.base() / played(s, count, random);
  CHECK(share == doctest::Approx(goodput(s).useful).epsilon(0.005));
}

TEST_CASE("Daly's interval is better than its neighbours, and close to Young's for short stalls") {
  GoodputSpec s = job();
  s.interval = daly_interval(s.stall, s.mttf);
  const double best = goodput(s).useful;
  for (const double factor : {0.8, 1.25}) {
    GoodputSpec other = s;
    other.interval = factor * s.interval;
    CHECK(goodput(other).useful < best);
  }
  CHECK(young_interval(Duration{2}, Duration{10'000}).base() == doctest::Approx(200));  // sqrt(2 x 2 x 10^4)
  CHECK(daly_interval(Duration{30}, Duration{10}) == Duration{10});                     // stall >= 2 M
}

TEST_CASE("the longest interval for a target gives just that") {
  GoodputSpec s = job();
  const auto interval = longest_interval(s, 0.7);
  REQUIRE(interval);
  s.interval = *interval;
  CHECK(goodput(s).useful == doctest::Approx(0.7));
  CHECK_FALSE(longest_interval(job(), 0.99));
}

TEST_CASE("a job that never gets anywhere has no goodput and no error") {
  GoodputSpec s = job();
  s.mttf = Duration{0.1};
  CHECK(goodput(s).useful == doctest::Approx(0));
  s.mttf = Duration{0};
  CHECK_THROWS_AS(goodput(s), Error);
  s = job();
  s.restart = Duration{-1};
  CHECK_THROWS_AS(goodput(s), Error);
}

TEST_CASE("spares are a Poisson quantile") {
  // Mean 1: P(0) = 0.368, P(<= 1) = 0.736, P(<= 2) = 0.920, P(<= 3) = 0.981.
  CHECK(spares_for(1, 0.95) == 3);
  CHECK(spares_for(0, 0.95) == 0);
  CHECK(spare_wait(1, 0, kHour) == kHour);  // no spare: every failure waits for its repair
  // One spare: it is away when one node or more is in repair, 1 - 0.368; then the first of two repairs.
  CHECK(spare_wait(1, 1, kHour).base() == doctest::Approx(0.632 * 1800).epsilon(1e-3));
  CHECK_THROWS_AS(spares_for(-1, 0.95), Error);
}

TEST_CASE("a node of twice the GPUs fails twice as often; parts fail less often than jobs do") {
  const Catalog catalog = Catalog::builtin();
  const NodeReliability eight = node_reliability(catalog, node_spec(catalog, "dgx1v_32gb"));
  const NodeReliability sixteen = node_reliability(catalog, node_spec(catalog, "dgx2"));
  CHECK(eight.mtbf.base() == doctest::Approx(10'000 * 3600.0));
  CHECK(sixteen.mtbf.base() == doctest::Approx(5'000 * 3600.0));
  CHECK(eight.replacements() < eight.interruptions());
  CHECK(eight.components.front().per_year == doctest::Approx(0.02));
}

TEST_CASE("the interruptions of Llama 3 follow from the rates of other clusters") {
  const Catalog catalog = Catalog::builtin();
  // sqrt(6.5 x 2.34) = 3.90 per 1000 node days, 2048 nodes, 54 days: 431; 419 were counted.
  const PublishedRate rate = published_interruptions(catalog, "llama3_405b");
  CHECK(2048 * rate.per_node * Duration{54 * 86400} == doctest::Approx(431).epsilon(0.005));
}
