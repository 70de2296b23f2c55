#pragma once
/// Quasi-Monte Carlo: points of the Sobol sequence, and variance-based sensitivities from them.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rackcast {

/// `count` points in [0, 1)^dimensions: the Sobol sequence, shifted modulo 1 by one draw of `seed` (Cranley &
/// Patterson, SIAM J. Numer. Anal. 13(6), 1976), so that no point lies on an edge by design.
std::vector<std::vector<double>> sobol_points(std::size_t count, std::size_t dimensions, std::uint64_t seed);

/// Share of the variance of `f` that each input causes: alone (first order), and with all its interactions
/// (total). Estimators of Saltelli et al., Computer Physics Communications 181(2), 2010, table 2 (b) and (f);
/// `count` x (dimensions + 2) evaluations. Both are 0 where f does not vary.
struct Sensitivity {
  double first = 0, total = 0;
};
std::vector<Sensitivity> sobol_sensitivities(const std::function<double(std::span<const double>)>& f,
                                             std::size_t count, std::size_t dimensions, std::uint64_t seed);

}  // namespace rackcast
