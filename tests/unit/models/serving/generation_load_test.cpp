// A server under a given number of requests at a given rate.
#include "models/serving/generation_load.hpp"

#include <doctest/doctest.h>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

/// Four tokens per answer; a pass takes 10 ms for one, 12 for two, 16 for four requests in flight. Prompts of
/// 100 tokens: as many rows take 0.02 ms each after the first, so a prompt alone takes 1.98 ms for rows
/// and 3.02 ms for its attention, 5 ms in all.
GenerationLoad load_of(int requests, Duration between) {
  GenerationLoad load;
  load.token = {Duration{0.010}, Duration{0.012}, Duration{0.016}};
  for (double n = 1; n <= 1024; n *= 2) load.rows.emplace_back(2e-5 * (n - 1));
  load.prompt = 100;
  load.attention = Duration{3.02e-3};
  load.output = 4;
  load.places = 4;
  load.requests = requests;
  load.between = between;
  return load;
}

}  // namespace

TEST_CASE("one request takes its prompt and a pass for every further token") {
  // 5 + 3 * 10 = 35 ms; a prompt gives the first token.
  CHECK(time_to_answer_all(load_of(1, Duration{0})).base() == doctest::Approx(0.035));
  GenerationLoad single = load_of(1, Duration{0});
  single.output = 1;
  CHECK(time_to_answer_all(single).base() == doctest::Approx(0.005));
}

TEST_CASE("requests that come at once are answered in waves of as many as there are places") {
  // Four prompts: 399 * 0.02 + 4 * 3.02 = 20.06 ms, and 3 * 16 for each wave; three in a wave: 299 * 0.02 +
  // 3 * 3.02 = 15.04 ms and 3 * 14.
  CHECK(time_to_answer_all(load_of(4, Duration{0})).base() == doctest::Approx(0.06806));
  CHECK(time_to_answer_all(load_of(8, Duration{0})).base() == doctest::Approx(2 * 0.06806));
  CHECK(time_to_answer_all(load_of(7, Duration{0})).base() == doctest::Approx(0.06806 + 0.05704));
}

TEST_CASE("requests that come seldom are each answered alone") {
  // The last comes after 9 s and takes 35 ms.
  CHECK(time_to_answer_all(load_of(10, Duration{1})).base() == doctest::Approx(9.035));
}

TEST_CASE("a prompt that comes between two passes shares the next one") {
  // Prompt until 5, a token until 15 ms. The second came at 10: the pass from 15 has a token of the first and
  // its prompt, 10 + 100 * 0.02 + 3.02 = 15.02 ms; then both until 42.02, which is the last of the first, and
  // two more passes alone.
  CHECK(time_to_answer_all(load_of(2, Duration{0.010})).base() == doctest::Approx(0.06202));
}

TEST_CASE("a pass holds so many tokens, and a prompt goes on in the next") {
  // 60 and 40 tokens: the same rows but for the first of each pass, the same attention.
  GenerationLoad load = load_of(1, Duration{0});
  load.tokens_per_pass = 60;
  CHECK(time_to_answer_all(load).base() == doctest::Approx(0.035 - 2e-5));
  // Two prompts of 100 in passes of 100: the first alone, 5 ms. Its token leaves room for 99 of the second,
  // 10 + 99 * (0.02 + 0.0302) ms; then 10 + 0.02 + 0.0302, and the first is done after its third pass, 12.
  // The second has two more, 10 each.
  load = load_of(2, Duration{0});
  load.tokens_per_pass = 100;
  CHECK(time_to_answer_all(load).base() ==
        doctest::Approx(0.005 + 0.010 + 99 * 5.02e-5 + 0.010 + 5.02e-5 + 0.012 + 2 * 0.010));
}

TEST_CASE("a load without requests, places, tokens or times is refused") {
  GenerationLoad load = load_of(1, Duration{0});
  load.requests = 0;
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
  load = load_of(1, Duration{0});
  load.places = 0;
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
  load = load_of(1, Duration{0});
  load.output = 0;
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
  load = load_of(1, Duration{0});
  load.token.clear();
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
  load = load_of(1, Duration{0});
  load.rows.clear();
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
  load = load_of(1, Duration{0});
  load.tokens_per_pass = 0;
  CHECK_THROWS_AS((void)time_to_answer_all(load), Error);
}

TEST_CASE("a steady state of one request is its prompt and a pass for every further token") {
  const GenerationSteady one = steady_generation(load_of(1, Duration{0}), 1);
  CHECK(one.first.base() == doctest::Approx(0.005));
  CHECK(one.token.base() == doctest::Approx(0.010));
  CHECK(one.rate.base() == doctest::Approx(1 / 0.035));
}

TEST_CASE("in a steady state prompts of others delay tokens, and Little's law holds") {
  GenerationLoad load = load_of(20000, Duration{0});
  load.output = 50;
  for (const double requests : {1.0, 2.0, 3.0, 4.0}) {
    const GenerationSteady s = steady_generation(load, requests);
    CAPTURE(requests);
    CHECK(s.rate.base() * (s.first + 49 * s.token).base() == doctest::Approx(requests));
    // Of the others about a fiftieth begins in each pass: 2 ms of rows and 3.02 of attention.
    const double alone = 0.010 + 0.002 * (requests - 1);
    CHECK(s.token.base() - alone == doctest::Approx((requests - 1) / 50 * 0.00502).epsilon(0.1));
  }
}

TEST_CASE(
    "issue 23, item 2: where passes have no room for the prompts, requests wait for their first token") {
  GenerationLoad load = load_of(20000, Duration{0});
  load.output = 2;
  load.tokens_per_pass = 54;  // an answer takes 100 tokens of its prompt and one more
  const GenerationSteady s = steady_generation(load, 4);
  CHECK(s.first > 4 * s.token);
  CHECK(s.rate.base() * (s.first + s.token).base() == doctest::Approx(4));
  CHECK(s.rate.base() * s.token.base() == doctest::Approx(54.0 / 101));
}

TEST_CASE("the steady state is about that of requests that come one by one as places get free") {
  // Arrivals a little faster than the steady rate keep all places taken.
  GenerationLoad load = load_of(4000, Duration{0});
  load.output = 50;
  const GenerationSteady s = steady_generation(load, 4);
  load.between = 0.98 / s.rate;
  CHECK(4000 / time_to_answer_all(load).base() == doctest::Approx(s.rate.base()).epsilon(0.03));
}

TEST_CASE("times of each request add up") {
  // As "a prompt that comes between two passes shares the next one": first tokens after 5 and 30.02 - 10 ms.
  const GenerationRun run = answer_arrivals(load_of(2, Duration{0}), {Duration{0}, Duration{0.010}});
  REQUIRE(run.first.size() == 2);
  CHECK(run.first[0].base() == doctest::Approx(0.005));
  CHECK(run.first[1].base() == doctest::Approx(0.02002));
  CHECK(run.answer[0].base() == doctest::Approx(0.04202));
  CHECK(run.answer[1].base() == doctest::Approx(0.05202));
  CHECK(run.token[1].base() == doctest::Approx((0.05202 - 0.02002) / 3));
  CHECK(run.end.base() == doctest::Approx(0.06202));
  CHECK(run.busy == run.end);
}
