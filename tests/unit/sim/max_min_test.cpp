#include "sim/engine/max_min.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace rackcast;

namespace {

std::vector<double> solve_max_min(const MaxMinProblem& problem) {
  return MaxMinSolver{}.solve(problem);
}

}  // namespace

TEST_CASE("a long flow over three links and a short one on each: the classic example") {
  // Bertsekas & Gallager, 6.5.2, in small: links of 10, 20 and 30; flow 0 uses all three, flows 1, 2, 3 one
  // each. Level 5: link 0 is full (5 + 5), flows 0 and 1 freeze at 5. Then flow 2 gets 20 - 5, flow 3 gets 30
  // - 5.
  MaxMinProblem p;
  p.capacity = {10, 20, 30};
  p.add_activity(1, no_cap);
  for (std::uint32_t r = 0; r < 3; ++r) p.add_usage(r, 1);
  for (std::uint32_t r = 0; r < 3; ++r) {
    p.add_activity(1, no_cap);
    p.add_usage(r, 1);
  }
  CHECK(solve_max_min(p) == std::vector<double>{5, 5, 15, 25});
}

TEST_CASE("five sessions on a chain freeze one bottleneck after the other") {
  // Links A and B of capacity 1, C of 2. Sessions 1, 2, 3 use A; 3 goes on over B, with 4; 4 goes on over C,
  // with 5. A fills first: 1, 2, 3 at 1/3. B leaves 2/3 to 4. C leaves 4/3 to 5.
  MaxMinProblem p;
  p.capacity = {1, 1, 2};
  const std::vector<std::vector<std::uint32_t>> routes{{0}, {0}, {0, 1}, {1, 2}, {2}};
  for (const auto& route : routes) {
    p.add_activity(1, no_cap);
    for (const std::uint32_t r : route) p.add_usage(r, 1);
  }
  const std::vector<double> rates = solve_max_min(p);
  const std::vector<double> by_hand{1.0 / 3, 1.0 / 3, 1.0 / 3, 2.0 / 3, 4.0 / 3};
  for (std::size_t i = 0; i < by_hand.size(); ++i)
    CHECK(rates[i] == doctest::Approx(by_hand[i]).epsilon(1e-12));
}

TEST_CASE("weights, coefficients and caps act together") {
  // One resource of 100. Weights 1, 2, 1; coefficients 1, 1, 4; the first is capped at 5.
  // Level 5: the cap. Then 100 - 5 = 2L + 4L gives L = 95/6: rates 5, 95/3, 95/6.
  MaxMinProblem p;
  p.capacity = {100};
  p.add_activity(1, 5);
  p.add_usage(0, 1);
  p.add_activity(2, no_cap);
  p.add_usage(0, 1);
  p.add_activity(1, no_cap);
  p.add_usage(0, 4);
  const std::vector<double> rates = solve_max_min(p);
  CHECK(rates[0] == 5);
  CHECK(rates[1] == doctest::Approx(95.0 / 3).epsilon(1e-12));
  CHECK(rates[2] == doctest::Approx(95.0 / 6).epsilon(1e-12));
}

TEST_CASE("k equal activities are one with k times the coefficient") {
  MaxMinProblem many;
  many.capacity = {120, 50};
  for (int i = 0; i < 6; ++i) {
    many.add_activity(1, no_cap);
    many.add_usage(0, 1);
  }
  many.add_activity(1, no_cap);
  many.add_usage(0, 1);
  many.add_usage(1, 5);
  MaxMinProblem folded;
  folded.capacity = {120, 50};
  folded.add_activity(1, no_cap);
  folded.add_usage(0, 6);
  folded.add_activity(1, no_cap);
  folded.add_usage(0, 1);
  folded.add_usage(1, 5);
  const std::vector<double> rates = solve_max_min(many);
  // 50 / 5 = 10 for the last; (120 - 10) / 6 for the others.
  CHECK(solve_max_min(folded) == std::vector<double>{rates[0], rates[6]});
  CHECK(rates[6] == 10);
  CHECK(rates[0] == 110.0 / 6);
}

TEST_CASE("no capacity means no rate; nothing to use means no bound") {
  MaxMinProblem p;
  p.capacity = {0, 10};
  p.add_activity(1, no_cap);
  p.add_usage(0, 1);
  p.add_usage(1, 1);
  p.add_activity(1, no_cap);
  p.add_usage(1, 1);
  p.add_activity(1, no_cap);
  CHECK(solve_max_min(p) == std::vector<double>{0, 10, no_cap});
}

TEST_CASE("very different weights on one resource do not cancel each other out") {
  // Resource 0: weights 1e18 and 1; the heavy one is frozen elsewhere at 1, the light one must get the rest.
  MaxMinProblem p;
  p.capacity = {10, 1};
  p.add_activity(1e18, no_cap);
  p.add_usage(0, 1);
  p.add_usage(1, 1);
  p.add_activity(1, no_cap);
  p.add_usage(0, 1);
  CHECK(solve_max_min(p) == std::vector<double>{1, 9});
}
