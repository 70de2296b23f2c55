#include "models/exchange/learning_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

namespace {

/// Student's t, one-sided 95 % (two-sided 90 %), for 1 to 30 degrees of freedom; 1.645 beyond.
double student(int degrees) {
  static constexpr std::array<double, 10> first{6.314, 2.920, 2.353, 2.132, 2.015,
                                                1.943, 1.895, 1.860, 1.833, 1.812};
  if (degrees <= 0) return 0;
  if (degrees <= 10) return first.at(static_cast<std::size_t>(degrees) - 1);
  return half_of_90_percent + 1.67 / degrees;  // within 0.005 of the table
}

struct Line {
  double slope = 0, intercept = 0, squares = 0, mean_x = 0, spread_x = 0;
};

Line line_through(std::span<const LearningPoint> points, double c) {
  const auto n = static_cast<double>(points.size());
  Line line;
  double mean_y = 0;
  for (const LearningPoint& p : points) {
    line.mean_x += std::log(p.samples) / n;
    mean_y += std::log(p.error - c) / n;
  }
  double xy = 0;
  for (const LearningPoint& p : points) {
    const double dx = std::log(p.samples) - line.mean_x;
    line.spread_x += dx * dx;
    xy += dx * (std::log(p.error - c) - mean_y);
  }
  line.slope = xy / line.spread_x;
  line.intercept = mean_y - line.slope * line.mean_x;
  for (const LearningPoint& p : points) {
    const double miss = std::log(p.error - c) - line.intercept - line.slope * std::log(p.samples);
    line.squares += miss * miss;
  }
  return line;
}

/// In the error itself, so that different c compare fairly: residuals of ln(error).
double misfit(std::span<const LearningPoint> points, double c) {
  const Line line = line_through(points, c);
  double sum = 0;
  for (const LearningPoint& p : points) {
    const double fitted = std::exp(line.intercept + line.slope * std::log(p.samples)) + c;
    sum += std::pow(std::log(p.error / fitted), 2);
  }
  return sum;
}

double best_offset(std::span<const LearningPoint> points, double smallest) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = 0.999 * smallest;
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  for (int i = 0; i < 100; ++i) {
    if (misfit(points, x) <= misfit(points, y)) {
      high = y;
      y = x;
      x = high - kGolden * (high - low);
    } else {
      low = x;
      x = y;
      y = low + kGolden * (high - low);
    }
  }
  const double c = (low + high) / 2;
  return misfit(points, c) < misfit(points, 0) ? c : 0;
}

void check(std::span<const LearningPoint> points) {
  if (points.size() < 2) throw Error{"a learning curve needs at least two points"};
  for (const LearningPoint& p : points) {
    if (!(p.samples > 0) || !(p.error > 0) || !std::isfinite(p.samples) || !std::isfinite(p.error))
      throw Error{"sizes and errors of a learning curve must be positive"};
  }
  const auto [low, high] = std::ranges::minmax(points, {}, &LearningPoint::samples);
  if (!(high.samples > low.samples * 1.0001)) throw Error{"a learning curve needs points of different sizes"};
}

}  // namespace

LearningCurve fit_learning_curve(std::span<const LearningPoint> points) {
  check(points);
  LearningCurve curve;
  const double smallest = std::ranges::min(points, {}, &LearningPoint::error).error;
  curve.c = points.size() >= 4 ? best_offset(points, smallest) : 0;
  const Line line = line_through(points, curve.c);
  if (!(line.slope < 0)) throw Error{"the error does not fall as the data set grows", {}, "check the points"};
  curve.a = std::exp(line.intercept);
  curve.b = -line.slope;
  curve.points = static_cast<int>(points.size());
  const int degrees = curve.points - (curve.c > 0 ? 3 : 2);
  if (degrees > 0) curve.sigma = std::sqrt(line.squares / degrees);
  curve.quantile = student(degrees);
  curve.mean_log = line.mean_x;
  curve.spread_log = line.spread_x;
  curve.largest = std::ranges::max(points, {}, &LearningPoint::samples).samples;
  return curve;
}

std::optional<SamplesNeeded> samples_for(const LearningCurve& curve, double target) {
  if (!(target > curve.c)) return std::nullopt;
  SamplesNeeded out;
  const double wanted = std::log(target - curve.c);
  const double middle = (std::log(curve.a) - wanted) / curve.b;
  out.samples = std::exp(middle);
  out.beyond = out.samples / curve.largest;
  // The band: ln a - b x +- t sigma sqrt(1 + 1/n + (x - mean)^2 / spread); walk out until it holds the
  // target.
  const auto band = [&](double x) {
    const double d = x - curve.mean_log;
    return curve.quantile * curve.sigma * std::sqrt(1 + 1.0 / curve.points + d * d / curve.spread_log);
  };
  const auto edge = [&](double sign) {
    constexpr double kFar = 60;  ///< e^60 times the middle: no data set is that large
    const auto inside = [&](double x) {
      return std::abs(std::log(curve.a) - curve.b * x - wanted) <= band(x);
    };
    double in = middle, out_of = middle + sign * kFar;
    if (inside(out_of)) return out_of;
    for (int i = 0; i < 200; ++i) {
      const double half = (in + out_of) / 2;
      (inside(half) ? in : out_of) = half;
    }
    return in;
  };
  out.low = std::exp(edge(-1));
  const double high = edge(1);
  out.high = high >= middle + 59 ? std::numeric_limits<double>::infinity() : std::exp(high);
  return out;
}

}  // namespace rackcast
