#pragma once
/// A Gaussian update of the uncertain factors on measured runs.
///
/// A measured run i has ln(measured rate / predicted rate) = y_i. To first order
///
///     y_i = sum_k g_ik x_k(i) + e_i,      e_i ~ N(0, s_i^2),
///
/// with x_k(i) = ln(factor k) in run i, g_ik = d ln(rate) / d ln(factor k), and s_i the relative error of the
/// measurement. Before anything is measured x is normal with mean 0 and
///
///     Cov(x_k(i), x_k(j)) = sigma_k(i) sigma_k(j) rho_k(i, j),
///
/// rho as in factors.hpp; different factors are independent. With S_ij = Cov(y_i, y_j) and c_ki = Cov(x_k,
/// y_i) of the run that is asked about, the update is that of a Kalman filter with all measurements at once:
///
///     mean = c S^-1 y,      covariance = diag(sigma^2) - c S^-1 c^T.
///
/// Assumed: the factors are log-normal, the rate is a power of each factor over its spread, and errors of
/// measurements are independent of each other. Source: Rasmussen & Williams, Gaussian Processes for Machine
/// Learning (2006), equations 2.23 and 2.24.
#include <span>
#include <vector>

#include "scenarios/measured/factors.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

struct Observation {
  RunTraits run;
  FactorVector log_sigma{};    ///< of ln(factor) before anything is measured
  FactorVector sensitivity{};  ///< of ln(rate) to ln(factor)
  double log_ratio = 0;        ///< of the measured rate to that with all factors at 1
  double error = 0;            ///< standard deviation of ln(measured), above 0
};

/// The factors of one run.
struct FactorBelief {
  FactorVector mean{};  ///< of ln(factor)
  FactorMatrix covariance{};

  [[nodiscard]] double log_sigma(Factor factor) const;
  /// Lower triangular L with L L^T = covariance: its columns are independent directions of one standard
  /// deviation each.
  [[nodiscard]] FactorMatrix root() const;
  /// Mean and variance of sum_k g_k ln(factor k).
  [[nodiscard]] double mean_of(const FactorVector& sensitivity) const;
  [[nodiscard]] double variance_of(const FactorVector& sensitivity) const;
};

/// Nothing measured: mean 0, independent factors.
FactorBelief prior_belief(const FactorVector& log_sigma);

class Posterior {
 public:
  Posterior() = default;
  explicit Posterior(std::vector<Observation> observations, const CommonShares& shares = common_shares());

  /// The factors of a run with these spreads. The order of the observations does not matter, to the bit.
  [[nodiscard]] FactorBelief at(const RunTraits& run, const FactorVector& log_sigma) const;
  [[nodiscard]] std::size_t size() const { return observations_.size(); }

 private:
  /// Cov(x_k of the run, y_i).
  [[nodiscard]] double shared(Factor factor, const RunTraits& run, double log_sigma,
                              const Observation& observation) const;

  CommonShares shares_;
  std::vector<Observation> observations_;     ///< sorted
  std::vector<std::vector<double>> inverse_;  ///< of S
  std::vector<double> weighted_;              ///< S^-1 y
};

}  // namespace rackcast
