// A load generator that keeps requests open; prompts and answers on servers of their own; direct sums.
#include "models/serving/closed_loop.hpp"

#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/serving/direct_sums.hpp"
#include "models/serving/split_phases.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// Five tokens per answer; a pass takes 10 ms for up to four requests. A prompt of 100 tokens adds 10 ms, and
/// a pass has room for one.
ClosedLoop loop_of(int open, int requests) {
  ClosedLoop loop;
  loop.load.token = {Duration{0.010}, Duration{0.010}, Duration{0.010}};
  for (double n = 1; n <= 1024; n *= 2) loop.load.rows.emplace_back(1e-4 * n);
  loop.load.prompt = 100;
  loop.load.output = 5;
  loop.load.places = 4;
  loop.load.tokens_per_pass = 101;
  loop.open = open;
  loop.requests = requests;
  return loop;
}

}  // namespace

TEST_CASE("one open request at a time waits for nobody") {
  const ClosedLoopTimes out = simulate_closed_loop(loop_of(1, 10));
  CHECK(out.first.base() == doctest::Approx(0.010));
  CHECK(out.token.base() == doctest::Approx(0.010));
  CHECK(out.token_median.base() == doctest::Approx(0.010));
}

TEST_CASE("prompts that are sent at once queue, and make others' tokens wait") {
  // The second prompt follows in the next pass, of 10 + 10 ms: first tokens after 10 and 30 ms.
  ClosedLoop loop = loop_of(2, 2);
  ClosedLoopTimes out = simulate_closed_loop(loop);
  CHECK(out.first.base() == doctest::Approx(0.020).epsilon(0.01));
  // The first answer has a gap of 20 ms and three of 10, the second four of 10.
  CHECK(out.token.base() == doctest::Approx((0.050 / 4 + 0.010) / 2).epsilon(0.01));
  // Apart, the second prompt is read before the first answer goes on: first tokens after 10 and 20 ms.
  loop.mixed = false;
  out = simulate_closed_loop(loop);
  CHECK(out.first.base() == doctest::Approx(0.015).epsilon(0.01));
  loop.arriving = Duration{0.1};
  CHECK(simulate_closed_loop(loop).first.base() == doctest::Approx(0.115).epsilon(0.01));
}

TEST_CASE("a server that polls for requests makes the first token wait for some of its passes") {
  ClosedLoop loop = loop_of(1, 10);
  loop.passes_waited = 3;  // of 10 ms
  CHECK(simulate_closed_loop(loop).first.base() == doctest::Approx(0.040));
  CHECK(simulate_closed_loop(loop).token.base() == doctest::Approx(0.010));
}

TEST_CASE("requests beyond the places wait for a place") {
  const Duration four = simulate_closed_loop(loop_of(4, 400)).first;
  const Duration eight = simulate_closed_loop(loop_of(8, 400)).first;
  // Little's law: with twice as many as there are places, half of them wait.
  CHECK(eight > 2.0 * four);
}

TEST_CASE("replicas read prompts side by side") {
  ClosedLoop loop = loop_of(2, 2);
  loop.replicas = 2;
  // Both prompts pass at once.
  CHECK(simulate_closed_loop(loop).first.base() == doctest::Approx(0.010));
}

TEST_CASE("a closed loop needs requests and a spread below one") {
  CHECK_THROWS_AS((void)simulate_closed_loop(loop_of(0, 1)), Error);
  CHECK_THROWS_AS((void)simulate_closed_loop(loop_of(1, 0)), Error);
  ClosedLoop loop = loop_of(1, 1);
  loop.spread = 1;
  CHECK_THROWS_AS((void)simulate_closed_loop(loop), Error);
}

TEST_CASE("answers on servers of their own never wait for prompts") {
  SplitPhases phases;
  phases.prompts = loop_of(4, 400);
  phases.answers = phases.prompts.load;
  const ClosedLoopTimes out = simulate_split_phases(phases);
  CHECK(out.token.base() == doctest::Approx(0.010));
  // A prompt is read every 10 ms, an answer takes 40: at most one request waits in the mean.
  CHECK(out.first.base() >= 0.010);
  CHECK(out.first.base() < 0.025);
  phases.prompt_servers = 4;
  CHECK(simulate_split_phases(phases).first.base() == doctest::Approx(0.010));
  phases.answer_servers = 0;
  CHECK_THROWS_AS((void)simulate_split_phases(phases), Error);
}

TEST_CASE("prompts that wait share a pass, and replicas of a prompt server wait for each other") {
  SplitPhases phases;
  phases.prompts = loop_of(3, 8);
  phases.prompts.load.output = 2;
  phases.answers = phases.prompts.load;
  phases.answers.token = {Duration{0.005}};
  phases.prompts.replicas = 2;
  // Two prompts are read together and a third 10 ms later. From then on, the answers being short, two wait 5
  // ms for the pass of the third, and that one as long for theirs, although a replica is idle: 10, 10, 20,
  // and 15 ms five times.
  CHECK(simulate_split_phases(phases).first.base() == doctest::Approx(0.115 / 8));
  // Where a pass holds all three, it takes their time.
  phases.prompts = loop_of(3, 3);
  phases.prompts.load.tokens_per_pass = 1000;
  CHECK(simulate_split_phases(phases).first.base() == doctest::Approx(0.030).epsilon(0.01));
  // A prompt that no pass holds is read nevertheless.
  phases.prompts.load.tokens_per_pass = 50;
  CHECK(simulate_split_phases(phases).first.base() == doctest::Approx(0.020).epsilon(0.01));
}

TEST_CASE("direct sums need NVSwitches and short payloads") {
  const Catalog catalog = Catalog::builtin();
  const Cluster h200 = make_cluster(catalog, node_spec(catalog, "dgx_h200"), {});
  // Two shots of 1 MB: 12 us + 2 * 7/8 * 1 MB / (0.65 * 450 GB/s) = 18.0 us; one shot takes 28.9.
  const auto two = direct_sum_time(h200, Bytes{1e6});
  REQUIRE(two);
  CHECK(two->base() == doctest::Approx(18.0e-6).epsilon(0.01));
  // One shot of 16 kB: 5 us + 7 * 16 kB / 292.5 GB/s = 5.4 us.
  CHECK(direct_sum_time(h200, Bytes{16e3}).value_or(Duration{0}).base() ==
        doctest::Approx(5.38e-6).epsilon(0.01));
  CHECK_FALSE(direct_sum_time(h200, Bytes{1e9}));
  // 16 us + 7/8 * 1 MB / (0.6 * 450 GB/s) = 19.2 us.
  CHECK(direct_exchange_time(h200, Bytes{1e6}).value_or(Duration{0}).base() ==
        doctest::Approx(19.24e-6).epsilon(0.01));
  const Cluster cube = make_cluster(catalog, node_spec(catalog, "dgx1v_16gb"), {});
  CHECK_FALSE(direct_sum_time(cube, Bytes{16e3}));
  CHECK_FALSE(direct_exchange_time(cube, Bytes{16e3}));
}
