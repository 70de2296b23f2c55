#include "scenarios/evidence/sobol.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>

#include "sim/base/random.hpp"

namespace rackcast {

std::vector<std::vector<double>> sobol_points(std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  boost::random::sobol sequence{dimensions};
  RandomStream random{seed, "sobol"};
  std::vector<double> shift(dimensions);
  for (double& s : shift) s = random.uniform();
  std::vector<std::vector<double>> out(count, std::vector<double>(dimensions));
  for (auto& point : out) {
    for (std::size_t i = 0; i < dimensions; ++i) {
      // 2^-64, the length of the generator's unit.
      const double x = std::ldexp(static_cast<double>(sequence()), -64) + shift[i];
      // Inside (0, 1), where every quantile is finite.
      point[i] = std::clamp(x - std::floor(x), std::numeric_limits<double>::min(), std::nextafter(1.0, 0.0));
    }
  }
  return out;
}

std::vector<Sensitivity> sobol_sensitivities(const std::function<double(std::span<const double>)>& f,
                                             std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  const auto points = sobol_points(count, 2 * dimensions, seed);
  const auto half = static_cast<std::ptrdiff_t>(dimensions);
  std::vector<double> a(count), b(count);
  double mean = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const std::span<const double> whole{points[j]};
    a[j] = f(whole.first(dimensions));
    b[j] = f(whole.subspan(dimensions));
    mean += (a[j] + b[j]) / (2.0 * static_cast<double>(count));
  }
  double variance = 0;
  for (std::size_t j = 0; j < count; ++j)
    variance += (std::pow(a[j] - mean, 2) + std::pow(b[j] - mean, 2)) / (2.0 * static_cast<double>(count));
  std::vector<Sensitivity> out(dimensions);
  if (!(variance > 1e-24 * mean * mean)) return out;
  for (std::size_t i = 0; i < dimensions; ++i) {
    double first = 0, total = 0;
    for (std::size_t j = 0; j < count; ++j) {
      std::vector<double> mixed(points[j].begin(), points[j].begin() + half);
      mixed[i] = points[j][dimensions + i];
      const double ab = f(mixed);
      first += (b[j] - mean) * (ab - a[j]);
      total += std::pow(a[j] - ab, 2) / 2;
    }
    out[i].first = std::clamp(first / (static_cast<double>(count) * variance), 0.0, 1.0);
    out[i].total = std::max(out[i].first, total / (static_cast<double>(count) * variance));
  }
  return out;
}

}  // namespace rackcast
