// The solver against a second implementation that shares nothing with it, and against the definition.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/engine/max_min.hpp"

using namespace rackcast;

namespace {

std::vector<double> solve_max_min(const MaxMinProblem& problem) {
  return MaxMinSolver{}.solve(problem);
}

struct Shape {
  int resources;
  int activities;
  int uses;
};

MaxMinProblem random_problem(RandomStream& random, Shape shape) {
  MaxMinProblem p;
  for (int r = 0; r < shape.resources; ++r) {
    // A few round values make many ties; one in twenty has failed.
    const bool failed = random.below(20) == 0;
    p.capacity.push_back(failed ? 0 : random.below(2) == 0 ? 100 : random.uniform(1, 1000));
  }
  for (int i = 0; i < shape.activities; ++i) {
    const bool capped = random.below(4) == 0;
    p.add_activity(random.below(2) == 0 ? 1 : random.uniform(0.1, 10),
                   capped ? random.uniform(0.5, 200) : no_cap);
    std::vector<std::uint32_t> used;
    const std::uint64_t wanted = 1 + random.below(static_cast<std::uint64_t>(shape.uses));
    for (std::uint64_t u = 0; u < wanted; ++u) {
      const auto r = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape.resources)));
      if (std::find(used.begin(), used.end(), r) != used.end()) continue;
      used.push_back(r);
      p.add_usage(r, random.below(2) == 0 ? 1 : random.uniform(0.1, 4));
    }
  }
  return p;
}

double usage(const MaxMinProblem& p, const std::vector<double>& rates, std::uint32_t resource) {
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
      if (p.resource[u] == resource) sum += p.coefficient[u] * rates[i];
    }
  }
  return sum;
}

/// Would all fit if the activities not yet frozen ran at the level L?
bool fits(const MaxMinProblem& p, const std::vector<double>& frozen, double level) {
  std::vector<double> rates = frozen;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] < 0) rates[i] = std::min(p.weight[i] * level, p.cap[i]);
  }
  for (std::uint32_t r = 0; r < p.capacity.size(); ++r) {
    if (usage(p, rates, r) > p.capacity[r]) return false;
  }
  return true;
}

/// Progressive filling by bisection: find the highest level that fits, freeze what cannot grow, go on.
std::vector<double> by_bisection(const MaxMinProblem& p) {
  std::vector<double> rates(p.weight.size(), -1);
  while (std::find(rates.begin(), rates.end(), -1) != rates.end()) {
    double low = 0;
    double high = 1e6;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      (fits(p, rates, middle) ? low : high) = middle;
    }
    std::vector<double> filled = rates;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] < 0) filled[i] = std::min(p.weight[i] * low, p.cap[i]);
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] >= 0) continue;
      bool stuck = filled[i] == p.cap[i];
      for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
        const std::uint32_t r = p.resource[u];
        stuck = stuck || usage(p, filled, r) >= p.capacity[r] * (1 - 1e-10);
      }
      if (stuck) rates[i] = filled[i];
    }
  }
  return rates;
}

/// The definition: every activity is at its cap or has a saturated resource where nobody has more per weight.
bool has_bottleneck(const MaxMinProblem& p, const std::vector<double>& rates, std::size_t activity) {
  const double slack = 1e-9;
  if (rates[activity] >= p.cap[activity] * (1 - slack)) return true;
  const double level = rates[activity] / p.weight[activity];
  for (std::uint32_t u = p.first[activity]; u < p.first[activity + 1]; ++u) {
    const std::uint32_t r = p.resource[u];
    if (usage(p, rates, r) < p.capacity[r] * (1 - slack)) continue;
    bool largest = true;
    for (std::size_t other = 0; other < rates.size(); ++other) {
      for (std::uint32_t v = p.first[other]; v < p.first[other + 1]; ++v) {
        if (p.resource[v] == r && rates[other] / p.weight[other] > level * (1 + slack)) largest = false;
      }
    }
    if (largest) return true;
  }
  return false;
}

/// The same problem with resources and activities in another order.
MaxMinProblem renumbered(const MaxMinProblem& p) {
  const auto resources = static_cast<std::uint32_t>(p.capacity.size());
  MaxMinProblem q;
  q.capacity.assign(p.capacity.rbegin(), p.capacity.rend());
  for (std::size_t i = p.weight.size(); i-- > 0;) {
    q.add_activity(p.weight[i], p.cap[i]);
    for (std::uint32_t u = p.first[i + 1]; u-- > p.first[i];) {
      q.add_usage(resources - 1 - p.resource[u], p.coefficient[u]);
    }
  }
  return q;
}

}  // namespace

TEST_CASE("random problems: solver equals bisection, keeps capacities and gives everybody a bottleneck") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "max-min");
    const Shape shape{1 + static_cast<int>(random.below(8)), 1 + static_cast<int>(random.below(12)),
                      1 + static_cast<int>(random.below(4))};
    const MaxMinProblem p = random_problem(random, shape);
    const std::vector<double> rates = solve_max_min(p);
    const std::vector<double> other = by_bisection(p);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      CHECK(rates[i] == doctest::Approx(other[i]).epsilon(1e-9));
      CHECK(rates[i] <= p.cap[i]);
      CHECK(has_bottleneck(p, rates, i));
    }
    for (std::uint32_t r = 0; r < p.capacity.size(); ++r) {
      CHECK(usage(p, rates, r) <= p.capacity[r] * (1 + 1e-12));
    }
  }
}

TEST_CASE("larger random problems keep capacities and give everybody a bottleneck") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "max-min, large");
    const MaxMinProblem p = random_problem(random, {40, 120, 6});
    const std::vector<double> rates = solve_max_min(p);
    for (std::size_t i = 0; i < rates.size(); ++i) CHECK(has_bottleneck(p, rates, i));
    for (std::uint32_t r = 0; r < p.capacity.size(); ++r) {
      CHECK(usage(p, rates, r) <= p.capacity[r] * (1 + 1e-12));
    }
  }
}

TEST_CASE("renumbering resources and activities leaves the rates alone") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "renumber");
    const MaxMinProblem p = random_problem(random, {20, 50, 4});
    const std::vector<double> rates = solve_max_min(p);
    std::vector<double> mirrored = solve_max_min(renumbered(p));
    std::reverse(mirrored.begin(), mirrored.end());
    for (std::size_t i = 0; i < rates.size(); ++i)
      CHECK(rates[i] == doctest::Approx(mirrored[i]).epsilon(1e-12));
  }
}

TEST_CASE("capacities and caps times k give rates times k") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "scale");
    MaxMinProblem p = random_problem(random, {10, 30, 4});
    const std::vector<double> rates = solve_max_min(p);
    for (double& capacity : p.capacity) capacity *= 1000;
    for (double& cap : p.cap) cap *= 1000;
    const std::vector<double> scaled = solve_max_min(p);
    for (std::size_t i = 0; i < rates.size(); ++i)
      CHECK(scaled[i] == doctest::Approx(1000 * rates[i]).epsilon(1e-12));
  }
}
