// A server under a given number of requests at a given rate.
#include <doctest/doctest.h>

#include "models/generation_load.hpp"
#include "sim/error.hpp"

using namespace rackcast;

namespace {

/// Four tokens per answer; a pass takes 10 ms for one, 12 for two, 16 for four requests, a prompt 5 ms.
GenerationLoad load_of(int requests, Duration between) {
  GenerationLoad load;
  load.token = {Duration{0.010}, Duration{0.012}, Duration{0.016}};
  load.prompt = Duration{0.005};
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
  // 4 * 5 + 3 * 16 = 68 ms for each wave of four; three in a wave: 15 + 3 * 14 = 57 ms.
  CHECK(time_to_answer_all(load_of(4, Duration{0})).base() == doctest::Approx(0.068));
  CHECK(time_to_answer_all(load_of(8, Duration{0})).base() == doctest::Approx(0.136));
  CHECK(time_to_answer_all(load_of(7, Duration{0})).base() == doctest::Approx(0.068 + 0.057));
}

TEST_CASE("requests that come seldom are each answered alone") {
  // The last comes after 9 s and takes 35 ms.
  CHECK(time_to_answer_all(load_of(10, Duration{1})).base() == doctest::Approx(9.035));
}

TEST_CASE("a request that comes between two passes joins the next") {
  // 0: prompt, token until 15 ms. The second came at 10: prompt until 20, pass of two until 32, until 44,
  // which is the last of the first; one more alone until 54.
  CHECK(time_to_answer_all(load_of(2, Duration{0.010})).base() == doctest::Approx(0.054));
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
}
