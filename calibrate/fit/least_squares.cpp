#include "calibrate/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace rackcast {
namespace {

constexpr double step = 1e-3;

/// Cost, gradient and Gauss-Newton matrix at one point.
struct Linearisation {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd gradient;
};

double weight_of(const LeastSquaresProblem& p, std::size_t residual) {
  return p.weights.empty() ? 1 : p.weights[residual];
}

double robust_cost(const LeastSquaresProblem& p, const std::vector<double>& x, const std::vector<double>& r) {
  const double f = p.robust_scale;
  double cost = 0;
  for (std::size_t i = 0; i < r.size(); ++i)
    cost += weight_of(p, i) * 2 * f * f * (std::sqrt(1 + r[i] / f * (r[i] / f)) - 1);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double d = p.prior_weight * (x[j] - p.start[j]) / p.spread[j];
    cost += d * d;
  }
  return cost;
}

Linearisation linearise(const LeastSquaresProblem& p, const std::vector<double>& x,
                        const std::vector<double>& r) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const auto m = static_cast<Eigen::Index>(r.size());
  Eigen::MatrixXd jacobian(m, n);
  std::vector<double> up(r.size()), down(r.size());
  for (Eigen::Index j = 0; j < n; ++j) {
    std::vector<double> moved = x;
    moved[static_cast<std::size_t>(j)] += step;
    p.evaluate(moved, up);
    moved[static_cast<std::size_t>(j)] -= 2 * step;
    p.evaluate(moved, down);
    for (Eigen::Index i = 0; i < m; ++i)
      jacobian(i, j) = (up[static_cast<std::size_t>(i)] - down[static_cast<std::size_t>(i)]) / (2 * step);
  }
  Eigen::VectorXd weight(m), residual(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const double v = r[static_cast<std::size_t>(i)];
    residual(i) = v;
    weight(i) =
        weight_of(p, static_cast<std::size_t>(i)) / std::sqrt(1 + v / p.robust_scale * (v / p.robust_scale));
  }
  Linearisation out{jacobian.transpose() * weight.asDiagonal() * jacobian,
                    jacobian.transpose() * (weight.asDiagonal() * residual)};
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double w = p.prior_weight / p.spread[k];
    out.matrix(j, j) += w * w;
    out.gradient(j) += w * w * (x[k] - p.start[k]);
  }
  return out;
}

}  // namespace

LeastSquaresSolution minimise(const LeastSquaresProblem& p) {
  LeastSquaresSolution best{p.guess.empty() ? p.start : p.guess, {}, 0, 0};
  std::vector<double> r(p.residual_count), trial_r(p.residual_count);
  p.evaluate(best.x, r);
  best.cost = robust_cost(p, best.x, r);
  Linearisation local = linearise(p, best.x, r);
  double damping = 1e-2;
  while (best.iterations < p.max_iterations && damping < 1e8) {
    ++best.iterations;
    Eigen::MatrixXd damped = local.matrix;
    damped.diagonal() *= 1 + damping;
    const Eigen::VectorXd move = damped.ldlt().solve(-local.gradient);
    std::vector<double> trial = best.x;
    for (std::size_t j = 0; j < trial.size(); ++j) trial[j] += move(static_cast<Eigen::Index>(j));
    p.evaluate(trial, trial_r);
    const double cost = robust_cost(p, trial, trial_r);
    if (!(cost < best.cost)) {
      damping *= 4;
      continue;
    }
    const bool settled = best.cost - cost < 1e-7 * best.cost;
    best.x = trial;
    best.cost = cost;
    r = trial_r;
    if (settled) break;
    damping = std::max(damping / 3, 1e-6);
    local = linearise(p, best.x, r);
  }
  const double freedom = std::max(1.0, static_cast<double>(r.size()) - static_cast<double>(best.x.size()));
  const Eigen::MatrixXd inverse = local.matrix.inverse();
  for (Eigen::Index j = 0; j < inverse.rows(); ++j)
    best.sigma.push_back(std::sqrt(std::max(0.0, inverse(j, j)) * best.cost / freedom));
  return best;
}

}  // namespace rackcast
