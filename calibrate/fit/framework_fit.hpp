#pragma once
/// Fits the few numbers of framework profiles (models/frameworks/framework.hpp) to the whole-network cases
/// that each profile names, and calibrates the width of its interval on cases that the fit has left out.
///
/// A profile says which of its numbers are fitted and on which cases; everything else in it stays. The
/// numbers are fitted as logarithms by robust least squares (calibrate/fit/least_squares.hpp) from one
/// starting point and prior for all profiles (models/frameworks/framework_parameters.hpp), so the shipped
/// values do not enter their own fit.
///
/// Interval. With the cases of one series (one machine and network) left out in turn, the fit of the others
/// predicts them. s is the spread beside the kernels' own that makes these ln(measured/predicted) as large as
/// their interval says, in the mean square over series. A profile's own s, of n series, is drawn to that of
/// all profiles as if by w more: s^2 = (n s_own^2 + w s_all^2) / (n + w); one series alone gets s_all. w is
/// the power of two that makes each series likeliest under the s of all others. A profile without cases gets
/// the s of all fit cases when they are predicted from the starting point.
#include <functional>
#include <string>
#include <vector>

#include "models/frameworks/framework.hpp"

namespace rackcast {

/// One named case of a profile.
struct ProfileCase {
  std::string id, series;
};

/// ln(measured / predicted) of a case, and the part of its interval that the GPU's kernels have.
struct ProfileResidual {
  double log_ratio = 0, kernel_log_sigma = 0;
};
using PredictWithProfile = std::function<ProfileResidual(const FrameworkProfile&, const ProfileCase&)>;

struct ProfileTask {
  FrameworkProfile profile;  ///< as shipped
  std::vector<ProfileCase> cases;
};

struct ProfileFit {
  FrameworkProfile profile;  ///< with the fitted numbers and log_sigma, rounded as the files write them
  std::vector<double> residuals, held_out;  ///< ln(measured/predicted) of the cases: fitted, and left out
  int series = 0;
};

struct ProfileFits {
  std::vector<ProfileFit> profiles;  ///< in the order of the tasks
  double weight_of_all = 0;          ///< w above, in series
  double share_inside = 0;  ///< of left-out series, by the s of all others; 0.9 is what an interval says
};

/// The residuals of one series.
using SeriesResiduals = std::vector<ProfileResidual>;

/// The fit of one profile alone, before its interval is drawn to what all profiles have.
struct ProfileSample {
  ProfileFit fit;                             ///< log_sigma is not set yet
  std::vector<SeriesResiduals> held_out;      ///< of each series, by the fit of the others
  std::vector<SeriesResiduals> never_fitted;  ///< of each series, from the starting point
};
/// A profile without cases keeps the starting point. Deterministic, and independent of other profiles.
ProfileSample sample_profile(const ProfileTask& task, const PredictWithProfile& predict);
/// The intervals of all profiles, in the order of the samples.
ProfileFits draw_together(const std::vector<ProfileSample>& samples);

/// `text`, a file of models/data/frameworks, with the numbers of `fits` in the places of the old ones; all
/// else stays byte for byte. Throws Error where a profile lacks a member for a number.
std::string with_fitted_numbers(std::string text, const std::string& name,
                                const std::vector<ProfileFit>& fits);

/// Rows for people: cases, median and largest error, of left-out cases, numbers; then what the intervals
/// rest on.
std::string framework_fit_table(const ProfileFits& fits);

}  // namespace rackcast
