#pragma once
/// Robust non-linear least squares: Levenberg-Marquardt on re-weighted residuals.
///
/// Minimises  sum v_i rho(r_i(x)) + sum (w (x_j - x0_j) / s_j)^2  with rho(r) = 2 f^2 (sqrt(1 + (r/f)^2) -
/// 1), quadratic for residuals below f and linear beyond, so that a few odd measurements do not bend the fit;
/// the second sum draws parameters that the data do not determine to what was expected. Derivatives are
/// central differences. Source: Madsen, Nielsen & Tingleff, "Methods for Non-Linear Least Squares Problems",
/// 2004; weights: Huber, "Robust Statistics", 1981.
#include <functional>
#include <vector>

namespace rackcast {

struct LeastSquaresProblem {
  /// Fills `residuals` (its size is fixed beforehand) at x. Must be deterministic.
  std::function<void(const std::vector<double>& x, std::vector<double>& residuals)> evaluate;
  std::size_t residual_count = 0;
  std::vector<double> weights = {};  ///< v, one per residual; empty: all 1
  std::vector<double> start;         ///< also the centre of the prior
  std::vector<double> guess;         ///< where to begin instead; empty: at the start
  std::vector<double> spread;        ///< of the prior, one per parameter
  double prior_weight = 0.15;        ///< w: the standard deviation expected of a residual
  double robust_scale = 0.15;        ///< f
  int max_iterations = 60;
};

struct LeastSquaresSolution {
  std::vector<double> x;
  std::vector<double> sigma;  ///< standard errors from the curvature and the residual spread
  double cost = 0;
  int iterations = 0;
};

LeastSquaresSolution minimise(const LeastSquaresProblem& problem);

}  // namespace rackcast
