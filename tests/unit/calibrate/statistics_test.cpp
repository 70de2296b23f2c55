#include "calibrate/fit/statistics.hpp"

#include <doctest/doctest.h>

#include "sim/base/random.hpp"

namespace rackcast {
namespace {

TEST_CASE("median and median distance of a handful of samples") {
  // sorted 1 2 3 4 100: median 3, distances 2 1 0 1 97, their median 1
  const SampleSummary s = summarise_samples({100, 1, 4, 2, 3});
  CHECK(s.count == 5);
  CHECK(s.median == 3);
  CHECK(s.mad == 1);
  CHECK(s.least == 1);
  CHECK(s.most == 100);
  // even count: mean of the middle two
  CHECK(summarise_samples({1, 2, 3, 10}).median == 2.5);
  CHECK(summarise_samples({}).count == 0);
}

TEST_CASE("five samples cannot bound the median at 95 %, six can by their range") {
  // P(all n samples on one side) = 2 / 2^n: 6.25 % for five, 3.1 % for six
  CHECK(summarise_samples({1, 2, 3, 4, 5}).confidence == 0);
  const SampleSummary s = summarise_samples({1, 2, 3, 4, 5, 6});
  CHECK(s.confidence == 0.95);
  CHECK(s.low == 1);
  CHECK(s.high == 6);
}

TEST_CASE("the interval of twenty samples is from the 6th to the 15th") {
  // Binomial(20, 1/2): P(X < 6) = 0.0207 <= 0.025 < P(X < 7) = 0.0577; Conover's table A3 says the same
  std::vector<double> samples;
  for (int i = 20; i >= 1; --i) samples.push_back(i);
  const SampleSummary s = summarise_samples(samples);
  CHECK(s.low == 6);
  CHECK(s.high == 15);
}

TEST_CASE("intervals cover the true median as often as they say, for skewed samples") {
  // exponential with mean 1 has median ln 2; at least 95 of 100, with room for luck
  int covered = 0;
  RandomStream random{7, "test"};
  for (int run = 0; run < 400; ++run) {
    std::vector<double> samples;
    for (int i = 0; i < 25; ++i) samples.push_back(random.exponential(1));
    const SampleSummary s = summarise_samples(samples);
    covered += s.low <= 0.693147 && 0.693147 <= s.high;
  }
  CHECK(covered >= 375);
}

TEST_CASE("thousands of samples still have an interval") {
  std::vector<double> samples;
  for (int i = 1; i <= 5000; ++i) samples.push_back(i);
  const SampleSummary s = summarise_samples(samples);
  // half a width of 1.96 * sqrt(5000) / 2 = 69 ranks
  CHECK(s.low > 2420);
  CHECK(s.high < 2580);
  CHECK(s.confidence == 0.95);
}

TEST_CASE("confident means narrow, with enough samples") {
  const StopRule rule{.least_samples = 7, .most_samples = 100, .relative_width = 0.02};
  CHECK(is_confident(summarise_samples({100, 100, 101, 100, 99, 100, 100, 101}), rule));
  CHECK_FALSE(is_confident(summarise_samples({100, 100, 101, 100, 99, 100}), rule));          // six
  CHECK_FALSE(is_confident(summarise_samples({100, 120, 80, 100, 140, 60, 100, 90}), rule));  // wide
}

TEST_CASE("far samples count as disturbed") {
  // median 10, MAD 1: 30 is 20 away, more than 5
  CHECK(outlier_share({9, 10, 11, 10, 9, 11, 10, 9, 11, 30}) == doctest::Approx(0.1));
  CHECK(outlier_share({1, 1, 1}) == 0);
}

TEST_CASE("stop reasons have names that read back") {
  for (const SampleEnd r :
       {SampleEnd::confidence, SampleEnd::samples, SampleEnd::time, SampleEnd::interrupted})
    CHECK(parse_stop_reason(to_string(r)) == r);
  CHECK_THROWS(parse_stop_reason("boredom"));
}

}  // namespace
}  // namespace rackcast
