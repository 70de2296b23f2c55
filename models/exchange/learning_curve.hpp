#pragma once
/// Learning curve: the error by the size D of the data set, error(D) = a D^-b + c, fitted to measured points.
/// Solved for D it gives the data that an accuracy needs.
///
/// Hestness et al., "Deep Learning Scaling is Predictable, Empirically", arXiv:1712.00409 (2017): in the
/// power-law region error falls as D^-b with b of 0.07 to 0.35, towards an irreducible c. For a given c,
/// ln(error - c) is linear in ln D and solved by least squares; c is searched by golden section (0 with fewer
/// than four points, which do not determine it). The result is an extrapolation: its interval widens with the
/// distance from the points.
#include <optional>
#include <span>
#include <vector>

namespace rackcast {

struct LearningPoint {
  double samples = 0, error = 0;
};

struct LearningCurve {
  double a = 0, b = 0, c = 0;
  // Statistics of the straight line through ln(error - c), for the interval.
  double sigma = 0;  ///< residual standard deviation; 0 with two points: nothing is known of it
  double mean_log = 0, spread_log = 0;  ///< mean of ln D and sum of squared deviations
  double quantile = 0;                  ///< of Student's t at 95 % for its degrees of freedom
  int points = 0;
  double largest = 0;  ///< samples of the largest point
};

/// Throws Error for fewer than two different sizes, sizes or errors that are not positive, and points whose
/// error does not fall.
LearningCurve fit_learning_curve(std::span<const LearningPoint> points);

struct SamplesNeeded {
  double samples = 0, low = 0, high = 0;  ///< 90 % interval; high may be infinite
  double beyond = 1;                      ///< how many times the largest measured size
};

/// Size whose error is `target`; the interval is where the 90 % prediction band of the line crosses the
/// target. Nothing if the target is at or below the irreducible error.
std::optional<SamplesNeeded> samples_for(const LearningCurve& curve, double target);

}  // namespace rackcast
