#include "calibrate/fit/framework_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/fit/least_squares.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {
namespace {

constexpr double weights_of_all[] = {1, 2, 4, 8, 16, 32, 64};  ///< of all profiles in the spread of one
constexpr double least_sigma = 0.02;  ///< nobody's profile is better than a repetition of the same run
constexpr double lagging_host = 10;   ///< a second start of the host's pace, in expected ones
constexpr double fit_robust_scale = 0.15, expected_residual = 0.1;

std::vector<const ProfileParameter*> parameters_of(const FrameworkProfile& profile) {
  std::vector<const ProfileParameter*> out;
  for (const std::string& name : profile.fitted) out.push_back(find_profile_parameter(name));
  return out;
}

FrameworkProfile with_numbers(FrameworkProfile profile,
                              const std::vector<const ProfileParameter*>& parameters,
                              const std::vector<double>& logs) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i]->set(profile, std::exp(logs[i]));
  return profile;
}

/// Where every fit begins.
FrameworkProfile unfitted(const ProfileTask& task) {
  FrameworkProfile out = task.profile;
  for (const ProfileParameter* p : parameters_of(out)) p->set(out, p->expected(out.dispatch));
  return out;
}

FrameworkProfile fit_numbers(const ProfileTask& task, const std::vector<ProfileCase>& cases,
                             const PredictWithProfile& predict) {
  const auto parameters = parameters_of(task.profile);
  LeastSquaresProblem problem;
  for (const ProfileParameter* p : parameters) {
    problem.start.push_back(std::log(p->expected(task.profile.dispatch)));
    problem.spread.push_back(p->spread);
  }
  problem.residual_count = cases.size();
  problem.prior_weight = expected_residual;
  problem.robust_scale = fit_robust_scale;
  problem.evaluate = [&](const std::vector<double>& x, std::vector<double>& residuals) {
    const FrameworkProfile trial = with_numbers(task.profile, parameters, x);
    for (std::size_t i = 0; i < cases.size(); ++i) residuals[i] = predict(trial, cases[i]).log_ratio;
  };
  LeastSquaresSolution best = minimise(problem);
  // A host that runs ahead of the GPU leaves no trace, so no slope leads from there to one that lags behind.
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i]->name != "host_per_kernel") continue;
    problem.guess = problem.start;
    problem.guess[i] += std::log(lagging_host);
    const LeastSquaresSolution other = minimise(problem);
    if (other.cost < best.cost) best = other;
  }
  FrameworkProfile out = with_numbers(task.profile, parameters, best.x);
  for (const ProfileParameter* p : parameters) p->set(out, rounded(p->get(out)));
  return out;
}

/// The spread that a profile adds to the kernels': the s for which ln(measured/predicted)^2 / (kernels^2 +
/// s^2) is 1 in the mean, each series weighing as one.
class Spread {
 public:
  Spread() = default;
  explicit Spread(std::vector<SeriesResiduals> series) : series_{std::move(series)} {}
  void add(std::vector<ProfileResidual> of_one_series) { series_.push_back(std::move(of_one_series)); }
  void add(const Spread& other) { series_.insert(series_.end(), other.series_.begin(), other.series_.end()); }
  [[nodiscard]] double series() const { return static_cast<double>(series_.size()); }
  [[nodiscard]] Spread only(std::size_t i) const {
    Spread out;
    out.add(series_[i]);
    return out;
  }
  [[nodiscard]] Spread without(std::size_t i) const {
    Spread out = *this;
    out.series_.erase(out.series_.begin() + static_cast<std::ptrdiff_t>(i));
    return out;
  }
  [[nodiscard]] double square() const {
    double low = 0,
           high = 4;  // e^2 is beyond any error; bisection to far below the three digits of the files
    if (mean_ratio(low) <= 1) return 0;
    for (int i = 0; i < 60; ++i) (mean_ratio((low + high) / 2) > 1 ? low : high) = (low + high) / 2;
    return (low + high) / 2;
  }

  /// Logarithm of the likelihood of a series under the spread, and the share inside its 90 % interval, in the
  /// mean over series.
  [[nodiscard]] double log_likelihood(double square) const {
    return mean([&](const ProfileResidual& r) {
      const double variance = r.kernel_log_sigma * r.kernel_log_sigma + square;
      return -(std::log(variance) + r.log_ratio * r.log_ratio / variance) / 2;
    });
  }
  [[nodiscard]] double share_inside(double square) const {
    return mean([&](const ProfileResidual& r) {
      return std::abs(r.log_ratio) <= half_of_90_percent * std::hypot(r.kernel_log_sigma, std::sqrt(square))
                 ? 1.0
                 : 0.0;
    });
  }

 private:
  [[nodiscard]] double mean_ratio(double square) const {
    return mean([&](const ProfileResidual& r) {
      return r.log_ratio * r.log_ratio / (r.kernel_log_sigma * r.kernel_log_sigma + square + 1e-12);
    });
  }
  /// Each series weighs as one.
  template <class Value>
  [[nodiscard]] double mean(Value value) const {
    double sum = 0;
    for (const auto& residuals : series_)
      for (const ProfileResidual& r : residuals) sum += value(r) / static_cast<double>(residuals.size());
    return sum / std::max(1.0, series());
  }
  std::vector<std::vector<ProfileResidual>> series_;
};

std::map<std::string, std::vector<ProfileCase>> by_series(const std::vector<ProfileCase>& cases) {
  std::map<std::string, std::vector<ProfileCase>> out;
  for (const ProfileCase& c : cases) out[c.series].push_back(c);
  return out;
}

std::vector<ProfileResidual> residuals_of(const FrameworkProfile& profile,
                                          const std::vector<ProfileCase>& cases,
                                          const PredictWithProfile& predict) {
  std::vector<ProfileResidual> out;
  for (const ProfileCase& c : cases) out.push_back(predict(profile, c));
  return out;
}

/// Predicts each series from a fit of the others; nothing where there is one alone.
std::vector<SeriesResiduals> cross_validate(const ProfileTask& task, const PredictWithProfile& predict,
                                            ProfileFit& fit) {
  std::vector<SeriesResiduals> out;
  const auto series = by_series(task.cases);
  fit.series = static_cast<int>(series.size());
  if (series.size() < 2) return out;
  for (const auto& [name, left_out] : series) {
    std::vector<ProfileCase> others;
    for (const ProfileCase& c : task.cases)
      if (c.series != name) others.push_back(c);
    auto residuals = residuals_of(fit_numbers(task, others, predict), left_out, predict);
    for (const ProfileResidual& r : residuals) fit.held_out.push_back(r.log_ratio);
    out.push_back(std::move(residuals));
  }
  return out;
}

double sigma_of(double square) {
  return rounded(std::sqrt(std::max(square, least_sigma * least_sigma)));
}

/// Square of the spread of a profile whose series need `own`, drawn to that of all as if by `weight` series.
double drawn(const Spread& own, double of_all, double weight) {
  const double n = own.series();
  return (n * (n > 0 ? own.square() : 0) + weight * of_all) / (n + weight);
}

/// How well intervals of one weight do on series that had no part in them.
struct Weighing {
  double weight = 0, log_likelihood = 0, inside = 0;
};

Weighing weigh(const std::vector<Spread>& own, double weight) {
  Weighing out{weight, 0, 0};
  double series = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(own[i].series()); ++k) {
      const Spread rest = own[i].without(k), left_out = own[i].only(k);
      Spread all;
      for (std::size_t j = 0; j < own.size(); ++j) all.add(j == i ? rest : own[j]);
      const double square = std::max(drawn(rest, all.square(), weight), least_sigma * least_sigma);
      out.log_likelihood += left_out.log_likelihood(square);
      out.inside += left_out.share_inside(square);
      ++series;
    }
  }
  if (series > 0) out.inside /= series;
  return out;
}

Weighing likeliest_weight(const std::vector<Spread>& own) {
  Weighing best = weigh(own, weights_of_all[0]);
  for (const double weight : weights_of_all)
    if (const Weighing w = weigh(own, weight); w.log_likelihood > best.log_likelihood) best = w;
  return best;
}

}  // namespace

ProfileSample sample_profile(const ProfileTask& task, const PredictWithProfile& predict) {
  ProfileSample out{{unfitted(task), {}, {}, 0}, {}, {}};
  if (task.cases.empty()) return out;
  out.fit.profile = fit_numbers(task, task.cases, predict);
  out.held_out = cross_validate(task, predict, out.fit);
  for (const auto& [name, cases] : by_series(task.cases))
    out.never_fitted.push_back(residuals_of(unfitted(task), cases, predict));
  for (const ProfileResidual& r : residuals_of(out.fit.profile, task.cases, predict))
    out.fit.residuals.push_back(r.log_ratio);
  return out;
}

ProfileFits draw_together(const std::vector<ProfileSample>& samples) {
  std::vector<ProfileFit> fits;
  std::vector<Spread> own;
  Spread all, never_fitted;
  for (const ProfileSample& sample : samples) {
    own.emplace_back(sample.held_out);
    all.add(own.back());
    never_fitted.add(Spread{sample.never_fitted});
    fits.push_back(sample.fit);
  }
  const Weighing best = likeliest_weight(own);
  const double of_all = all.square(), of_none = never_fitted.square();
  for (std::size_t i = 0; i < fits.size(); ++i)
    fits[i].profile.log_sigma =
        sigma_of(samples[i].never_fitted.empty() ? of_none : drawn(own[i], of_all, best.weight));
  return {std::move(fits), best.weight, best.inside};
}

}  // namespace rackcast
