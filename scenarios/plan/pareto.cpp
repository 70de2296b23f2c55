#include "scenarios/plan/pareto.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast {

namespace {

constexpr double kEqual = 1e-9;

/// Below 0: less; above 0: more; 0: as good as equal.
int compared(double a, double b) {
  if (a == b || std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

}  // namespace

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool less = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int order = compared(a[i], b[i]);
    if (order > 0) return false;
    less = less || order < 0;
  }
  return less;
}

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool stays = true;
    for (std::size_t k = 0; k < points.size() && stays; ++k) {
      const bool same = k < i && std::ranges::equal(points[i], points[k],
                                                    [](double a, double b) { return compared(a, b) == 0; });
      stays = !same && !dominates(points[k], points[i]);
    }
    if (stays) out.push_back(i);
  }
  return out;
}

}  // namespace rackcast
