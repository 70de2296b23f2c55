#include "scenarios/measured/posterior.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace rackcast {

namespace {

bool comes_before(const Observation& a, const Observation& b) {
  return std::tie(a.run, a.log_ratio, a.error, a.log_sigma, a.sensitivity) <
         std::tie(b.run, b.log_ratio, b.error, b.log_sigma, b.sensitivity);
}

constexpr Factor factors[] = {Factor::kernels, Factor::exchange, Factor::input, Factor::pace, Factor::whole};

}  // namespace

FactorBelief prior_belief(const FactorVector& log_sigma) {
  FactorBelief out;
  for (std::size_t k = 0; k < factor_count; ++k) out.covariance[k][k] = log_sigma[k] * log_sigma[k];
  return out;
}

double FactorBelief::log_sigma(Factor factor) const {
  return std::sqrt(covariance[index_of(factor)][index_of(factor)]);
}

FactorMatrix FactorBelief::root() const {
  FactorMatrix out{};
  for (std::size_t column = 0; column < factor_count; ++column) {
    double left = covariance[column][column];
    for (std::size_t k = 0; k < column; ++k) left -= out[column][k] * out[column][k];
    // Nothing is left of a factor that the ones before it decide, but for rounding.
    if (left <= 1e-14 * covariance[column][column]) continue;
    out[column][column] = std::sqrt(left);
    for (std::size_t row = column + 1; row < factor_count; ++row) {
      double common = covariance[row][column];
      for (std::size_t k = 0; k < column; ++k) common -= out[row][k] * out[column][k];
      out[row][column] = common / out[column][column];
    }
  }
  return out;
}

double FactorBelief::mean_of(const FactorVector& sensitivity) const {
  double out = 0;
  for (std::size_t k = 0; k < factor_count; ++k) out += sensitivity[k] * mean[k];
  return out;
}

double FactorBelief::variance_of(const FactorVector& sensitivity) const {
  double out = 0;
  for (std::size_t k = 0; k < factor_count; ++k)
    for (std::size_t l = 0; l < factor_count; ++l) out += sensitivity[k] * covariance[k][l] * sensitivity[l];
  return std::max(0.0, out);
}

double Posterior::shared(Factor factor, const RunTraits& run, double log_sigma, const Observation& o) const {
  const std::size_t k = index_of(factor);
  if (log_sigma <= 0 || o.log_sigma[k] <= 0 || o.sensitivity[k] == 0) return 0;
  return log_sigma * o.log_sigma[k] * correlation(factor, run, o.run, shares_) * o.sensitivity[k];
}

Posterior::Posterior(std::vector<Observation> observations, const CommonShares& shares)
    : shares_(shares), observations_(std::move(observations)) {
  std::ranges::sort(observations_, comes_before);
  const auto n = static_cast<Eigen::Index>(observations_.size());
  Eigen::MatrixXd covariance(n, n);
  Eigen::VectorXd ratio(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Observation& a = observations_[static_cast<std::size_t>(i)];
    ratio(i) = a.log_ratio;
    for (Eigen::Index j = 0; j < n; ++j) {
      const Observation& b = observations_[static_cast<std::size_t>(j)];
      double sum = i == j ? a.error * a.error : 0;
      for (const Factor factor : factors) {
        const std::size_t k = index_of(factor);
        sum += a.sensitivity[k] * shared(factor, a.run, a.log_sigma[k], b);
      }
      covariance(i, j) = sum;
    }
  }
  const Eigen::LDLT<Eigen::MatrixXd> decomposed(covariance);
  const Eigen::MatrixXd inverse = decomposed.solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::VectorXd weighted = decomposed.solve(ratio);
  for (Eigen::Index i = 0; i < n; ++i) {
    std::vector<double>& row = inverse_.emplace_back();
    for (Eigen::Index j = 0; j < n; ++j) row.push_back(inverse(i, j));
    weighted_.push_back(weighted(i));
  }
}

FactorBelief Posterior::at(const RunTraits& run, const FactorVector& log_sigma) const {
  FactorBelief out = prior_belief(log_sigma);
  const std::size_t n = observations_.size();
  std::array<std::vector<double>, factor_count> with;  // Cov(x_k, y)
  for (const Factor factor : factors) {
    const std::size_t k = index_of(factor);
    for (const Observation& o : observations_) with[k].push_back(shared(factor, run, log_sigma[k], o));
    for (std::size_t i = 0; i < n; ++i) out.mean[k] += with[k][i] * weighted_[i];
  }
  for (std::size_t k = 0; k < factor_count; ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      double known = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) known += with[k][i] * inverse_[i][j] * with[l][j];
      out.covariance[k][l] -= known;
      if (k != l)
        out.covariance[l][k] -= known;
      else
        out.covariance[k][k] = std::max(0.0, out.covariance[k][k]);
    }
  return out;
}

}  // namespace rackcast
