// Pareto fronts and smallest conflicts of random points, against their definitions.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "scenarios/limits/limits.hpp"
#include "scenarios/plan/pareto.hpp"
#include "sim/base/random.hpp"

using namespace rackcast;

TEST_CASE("a front has no dominated point, and every other point is dominated or equal") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "points"};
    std::vector<std::vector<double>> points(20, std::vector<double>(3));
    for (auto& p : points)
      for (double& x : p) x = static_cast<double>(random.below(6));
    const auto front = pareto_front(points);
    REQUIRE_FALSE(front.empty());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool inside = std::ranges::find(front, i) != front.end();
      const bool beaten =
          std::ranges::any_of(points, [&](const auto& other) { return dominates(other, points[i]); });
      const bool earlier = std::any_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const auto& other) { return other == points[i]; });
      CHECK(inside == (!beaten && !earlier));
    }
  }
}

TEST_CASE("a smallest conflict is one that no mask escapes, and no smaller set is") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "masks"};
    std::vector<LimitMask> masks;
    const auto count = 1 + random.below(8);
    for (std::uint64_t i = 0; i < count; ++i) masks.push_back(static_cast<LimitMask>(1 + random.below(255)));
    const LimitMask set = smallest_conflict(masks);
    const auto conflicts = [&](LimitMask s) {
      return std::ranges::all_of(masks, [s](LimitMask m) { return (m & s) != 0; });
    };
    CHECK(conflicts(set));
    for (LimitMask s = 1; s < 256; ++s)
      if (std::popcount(s) < std::popcount(set)) CHECK_FALSE(conflicts(s));
    for (const Limit member : limits_of(set)) CHECK_FALSE(conflicts(set & ~bit(member)));
    masks.push_back(0);
    CHECK(smallest_conflict(masks) == 0);
  }
}
