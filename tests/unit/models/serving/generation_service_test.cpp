// A server of a language model under requests that come at random.
#include "models/serving/generation_service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

/// Fifty tokens per answer; a pass takes 10 ms for one, 12 for two, 16 for four requests in flight. A prompt
/// of 100 tokens alone takes 5 ms.
GenerationService service_at(double rate) {
  GenerationService out;
  out.load.token = {Duration{0.010}, Duration{0.012}, Duration{0.016}};
  for (double n = 1; n <= 1024; n *= 2) out.load.rows.emplace_back(2e-5 * (n - 1));
  out.load.prompt = 100;
  out.load.attention = Duration{3.02e-3};
  out.load.output = 50;
  out.load.places = 4;
  out.rate = Frequency{rate};
  return out;
}

}  // namespace

TEST_CASE("requests that come seldom meet nobody") {
  const ServingResult r = simulate_generation(service_at(0.01));
  REQUIRE(r.tokens);
  CHECK(r.tokens->first_p50.base() == doctest::Approx(0.005));
  CHECK(r.tokens->token_p50.base() == doctest::Approx(0.010));
  CHECK(r.p50.base() == doctest::Approx(0.005 + 49 * 0.010));
  CHECK_FALSE(r.saturated);
}

TEST_CASE("Little's law holds between rate, time in the server and requests in flight") {
  for (const double rate : {0.5, 1.0, 2.0}) {
    const GenerationService s = service_at(rate);
    const ServingResult r = simulate_generation(s);
    CAPTURE(rate);
    // Mean requests in flight over all time; those without a place yet are few below the capacity.
    CHECK(r.utilisation * r.mean_batch == doctest::Approx(rate * r.mean.base()).epsilon(0.05));
  }
}

TEST_CASE("a load past the capacity is overloaded, and waits grow without end") {
  const GenerationService s = service_at(1);
  const double capacity = generation_capacity(s.load).base();
  CHECK(simulate_generation(service_at(1.05 * capacity)).saturated);
  const ServingResult below = simulate_generation(service_at(0.5 * capacity));
  CHECK_FALSE(below.saturated);
  CHECK(simulate_generation(service_at(1.05 * capacity)).tokens->first > 10 * below.tokens->first);
}

TEST_CASE("the highest rate keeps each limit, and a little more does not") {
  GenerationService s = service_at(1);
  const auto proven = [&](const TokenLimits& limits) {
    const double rate = highest_generation_rate(s, limits).base();
    CHECK(rate > 0);
    CHECK(limits.kept(simulate_generation(service_at(rate))));
    CHECK_FALSE(limits.kept(simulate_generation(service_at(1.05 * rate))));
    return rate;
  };
  TokenLimits first, token, answer;
  first.first = Duration{0.040};
  token.token = Duration{0.0125};
  answer.answer = Duration{0.6};
  const double by_first = proven(first), by_token = proven(token), by_answer = proven(answer);
  TokenLimits all = first;
  all.token = token.token;
  all.answer = answer.answer;
  CHECK(highest_generation_rate(s, all).base() ==
        doctest::Approx(std::min({by_first, by_token, by_answer})).epsilon(0.02));
  first.first = Duration{0.004};  // less than a lone prompt takes
  CHECK(highest_generation_rate(s, first) == Frequency{0});
}

TEST_CASE("passes twice as slow serve half the rate") {
  const GenerationService s = service_at(1);
  CHECK(generation_capacity(slowed(s.load, 2)).base() ==
        doctest::Approx(generation_capacity(s.load).base() / 2));
}

TEST_CASE("a service without a rate, requests or a percentile is refused") {
  CHECK_THROWS_AS((void)simulate_generation(service_at(0)), Error);
  GenerationService s = service_at(1);
  s.requests = 10;
  CHECK_THROWS_AS((void)simulate_generation(s), Error);
  s = service_at(1);
  s.percentile = 1;
  CHECK_THROWS_AS((void)simulate_generation(s), Error);
}

TEST_CASE(
    "a limit that leaves nothing beyond a lone request is kept at a rate above 0, far below the capacity") {
  const GenerationService s = service_at(1);
  const ServingResult alone = lone_generation(s);
  const Frequency rate = highest_generation_rate(s, {std::nullopt, alone.tokens->token, alone.asked});
  CHECK(rate > Frequency{0});
  CHECK(rate < 0.01 * generation_capacity(s.load));
}

TEST_CASE("a request's way to the server and the passes it waits come before its first token") {
  GenerationService s = service_at(0.01);
  s.arriving = Duration{0.020};
  s.passes_waited = 4;
  const ServingResult r = simulate_generation(s);
  REQUIRE(r.tokens);
  // 20 ms, four passes of 10 ms, and the prompt's 5 ms.
  CHECK(r.tokens->first_p50.base() == doctest::Approx(0.020 + 4 * 0.010 + 0.005).epsilon(2e-3));  // few meet
  CHECK(r.p50.base() == doctest::Approx(0.020 + 4 * 0.010 + 0.005 + 49 * 0.010).epsilon(2e-3));
  CHECK(r.tokens->token_p50.base() == doctest::Approx(0.010));  // further tokens do not wait for it
  CHECK(lone_generation(s).tokens->first.base() == doctest::Approx(0.065));
}

TEST_CASE("the room of first tokens is the factor with which the limits are just kept") {
  const ServingResult alone = lone_generation(service_at(1));  // 5 ms, then 49 of 10 ms: 495 ms
  TokenLimits limits;
  CHECK(std::isinf(limits.first_token_room(alone)));
  limits.first = Duration{0.020};
  CHECK(limits.first_token_room(alone) == doctest::Approx(4));
  limits.answer = Duration{0.500};  // 5 ms more than it takes: twice the first token
  CHECK(limits.first_token_room(alone) == doctest::Approx(2));
  for (const double factor : {1.9, 2.1}) {
    limits.first_factor = factor;
    CHECK(limits.kept(alone) == (factor < 2));
  }
  limits.token = Duration{0.009};
  CHECK(limits.first_token_room(alone) == 0);
}
