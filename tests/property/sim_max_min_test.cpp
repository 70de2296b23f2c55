// The solver against a second implementation that shares nothing with it, and against the definition.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
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

namespace {

/// Two sets of twins, which all activities but a few load alike, and some other resources: as it is, and with
/// a resource for each set.
struct Twins {
  MaxMinProblem plain, with_sets;
};

Twins random_twins(RandomStream& random, std::uint32_t twins, int activities) {
  Twins out;
  const double capacity[] = {100, random.uniform(10, 1000)};
  for (std::uint32_t r = 0; r < 2 * twins; ++r) out.plain.capacity.push_back(capacity[r / twins]);
  for (int r = 0; r < 3; ++r) out.plain.capacity.push_back(random.uniform(10, 1000));
  std::vector<std::vector<double>> uses;  // of each activity, of each resource
  std::vector<std::array<double, 2>> of_set;
  for (int i = 0; i < activities; ++i) {
    of_set.push_back({random.below(3) == 0 ? 0.0 : 1.0, random.below(2) == 0 ? 0.0 : random.uniform(0.1, 3)});
    std::vector<double>& use = uses.emplace_back(out.plain.capacity.size(), 0);
    for (std::uint32_t r = 0; r < 2 * twins; ++r) use[r] = of_set.back()[r / twins];
    for (std::uint64_t exceptions = random.below(4); exceptions > 0; --exceptions)
      use[random.below(use.size())] = random.below(3) == 0 ? 0 : random.uniform(0.1, 20);
    const double weight = random.below(2) == 0 ? 1 : random.uniform(0.1, 10);
    const double cap = random.below(5) == 0 ? random.uniform(0.5, 50) : no_cap;
    out.plain.add_activity(weight, cap);
    out.with_sets.add_activity(weight, cap);
    for (std::uint32_t r = 0; r < use.size(); ++r)
      if (use[r] > 0) out.plain.add_usage(r, use[r]);
  }
  out.with_sets.clear();
  out.with_sets.capacity = out.plain.capacity;
  out.with_sets.part_of.assign(out.plain.capacity.size(), no_set);
  for (std::uint32_t set = 0; set < 2; ++set) {
    bool all_are_parts = true;
    const auto whole = static_cast<std::uint32_t>(out.plain.capacity.size()) + set;
    for (std::uint32_t r = set * twins; r < (set + 1) * twins; ++r) {
      bool is_part = false;
      for (std::size_t i = 0; i < uses.size(); ++i) is_part = is_part || uses[i][r] != of_set[i][set];
      if (is_part) out.with_sets.part_of[r] = whole;
      all_are_parts = all_are_parts && is_part;
    }
    out.with_sets.capacity.push_back(all_are_parts ? no_cap : capacity[set]);
    out.with_sets.part_of.push_back(no_set);
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    out.with_sets.add_activity(out.plain.weight[i], out.plain.cap[i]);
    for (std::uint32_t set = 0; set < 2; ++set)
      if (of_set[i][set] > 0)
        out.with_sets.add_usage(static_cast<std::uint32_t>(out.plain.capacity.size()) + set, of_set[i][set]);
    for (std::uint32_t r = 0; r < uses[i].size(); ++r) {
      const double usual = r < 2 * twins ? of_set[i][r / twins] : 0;
      if (uses[i][r] != usual) out.with_sets.add_usage(r, uses[i][r] - usual);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("twins as one resource and their differences give the rates of each twin by itself") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "twins");
    const Twins twins = random_twins(random, 2 + static_cast<std::uint32_t>(random.below(8)),
                                     1 + static_cast<int>(random.below(15)));
    const std::vector<double> plain = solve_max_min(twins.plain);
    const std::vector<double> with_sets = solve_max_min(twins.with_sets);
    for (std::size_t i = 0; i < plain.size(); ++i)
      if (plain[i] != no_cap) CHECK(with_sets[i] == doctest::Approx(plain[i]).epsilon(1e-11));
  }
}
