#include "calibrate/framework_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/least_squares.hpp"
#include "models/framework_parameters.hpp"

namespace rackcast {
namespace {

constexpr double common_series = 4;   ///< how much all profiles weigh in the interval of one
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
  for (const ProfileParameter* p : parameters_of(out)) p->set(out, p->expected);
  return out;
}

FrameworkProfile fit_numbers(const ProfileTask& task, const std::vector<ProfileCase>& cases,
                             const PredictWithProfile& predict) {
  const auto parameters = parameters_of(task.profile);
  LeastSquaresProblem problem;
  for (const ProfileParameter* p : parameters) {
    problem.start.push_back(std::log(p->expected));
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
  void add(std::vector<ProfileResidual> of_one_series) { series_.push_back(std::move(of_one_series)); }
  void add(const Spread& other) { series_.insert(series_.end(), other.series_.begin(), other.series_.end()); }
  [[nodiscard]] double series() const { return static_cast<double>(series_.size()); }
  [[nodiscard]] double square() const {
    double low = 0,
           high = 4;  // e^2 is beyond any error; bisection to far below the three digits of the files
    if (mean_ratio(low) <= 1) return 0;
    for (int i = 0; i < 60; ++i) (mean_ratio((low + high) / 2) > 1 ? low : high) = (low + high) / 2;
    return (low + high) / 2;
  }

 private:
  [[nodiscard]] double mean_ratio(double square) const {
    double sum = 0;
    for (const auto& residuals : series_)
      for (const ProfileResidual& r : residuals)
        sum += r.log_ratio * r.log_ratio / (r.kernel_log_sigma * r.kernel_log_sigma + square + 1e-12) /
               static_cast<double>(residuals.size());
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
Spread cross_validate(const ProfileTask& task, const PredictWithProfile& predict, ProfileFit& fit) {
  Spread spread;
  const auto series = by_series(task.cases);
  fit.series = static_cast<int>(series.size());
  if (series.size() < 2) return spread;
  for (const auto& [name, left_out] : series) {
    std::vector<ProfileCase> others;
    for (const ProfileCase& c : task.cases)
      if (c.series != name) others.push_back(c);
    auto residuals = residuals_of(fit_numbers(task, others, predict), left_out, predict);
    for (const ProfileResidual& r : residuals) fit.held_out.push_back(r.log_ratio);
    spread.add(std::move(residuals));
  }
  return spread;
}

double sigma_of(double square) {
  return rounded(std::sqrt(std::max(square, least_sigma * least_sigma)));
}

}  // namespace

std::vector<ProfileFit> fit_profiles(const std::vector<ProfileTask>& tasks,
                                     const PredictWithProfile& predict) {
  std::vector<ProfileFit> fits;
  std::vector<Spread> own;
  Spread all, never_fitted;
  for (const ProfileTask& task : tasks) {
    ProfileFit fit{task.profile, {}, {}, 0};
    own.emplace_back();
    if (!task.cases.empty()) {
      fit.profile = fit_numbers(task, task.cases, predict);
      own.back() = cross_validate(task, predict, fit);
      all.add(own.back());
      for (const auto& [name, cases] : by_series(task.cases))
        never_fitted.add(residuals_of(unfitted(task), cases, predict));
      for (const ProfileResidual& r : residuals_of(fit.profile, task.cases, predict))
        fit.residuals.push_back(r.log_ratio);
    }
    fits.push_back(std::move(fit));
  }
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const double n = own[i].series();
    const double square = tasks[i].cases.empty()
                              ? never_fitted.square()
                              : (n * own[i].square() + common_series * all.square()) / (n + common_series);
    fits[i].profile.log_sigma = sigma_of(square);
  }
  return fits;
}

}  // namespace rackcast
