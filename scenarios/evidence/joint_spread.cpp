#include "scenarios/evidence/joint_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/step/straggler.hpp"
#include "scenarios/evidence/sobol.hpp"
#include "scenarios/measured/posterior.hpp"

namespace rackcast {

namespace {

using Draw = std::array<double, direction_count>;  ///< standard deviations

const std::vector<Draw>& draws() {
  constexpr std::size_t count = 2048;
  constexpr std::uint64_t seed = 1;  // of the shift of Sobol's points
  static const std::vector<Draw> known = [] {
    std::vector<Draw> out(count);
    const auto points = sobol_points(count, direction_count, seed);
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::transform(points[i], out[i].begin(), [](double u) { return normal_quantile(u); });
    return out;
  }();
  return known;
}

bool moves_it(const MovedEnds& ends) {
  return ends.below != 0 || ends.above != 0;
}

double change(const Moves& moves, const Draw& draw) {
  double sum = 0;
  for (std::size_t d = 0; d < direction_count; ++d)
    sum += std::abs(draw[d]) / half_of_90_percent * (draw[d] < 0 ? moves[d].below : moves[d].above);
  return sum;
}

/// Of ln(figure) to a standard deviation of each direction, both sides together.
Draw slopes(const Moves& moves) {
  Draw out{};
  for (std::size_t d = 0; d < direction_count; ++d)
    out[d] = (moves[d].above - moves[d].below) / (2 * half_of_90_percent);
  return out;
}

/// (first^p + second^p)^(1/p).
class Parts {
 public:
  explicit Parts(const SideBySide& parts) : parts_{parts} {
    constexpr double longest_counts = 256;
    double low = 1, high = longest_counts;  // the sum of powers falls with p, where both shares are below 1
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (std::pow(parts.first, middle) + std::pow(parts.second, middle) > 1 ? low : high) = middle;
    }
    power_ = low;
    const double a = std::pow(parts.first, power_), b = std::pow(parts.second, power_);
    of_first_ = a / (a + b);
  }

  [[nodiscard]] double change_at(const Draw& draw) const {
    const double a = power_ * change(parts_.of_first, draw), b = power_ * change(parts_.of_second, draw);
    const double most = std::max(a, b);
    return (most + std::log(of_first_ * std::exp(a - most) + (1 - of_first_) * std::exp(b - most))) / power_;
  }
  [[nodiscard]] Draw slopes() const {
    Draw out = rackcast::slopes(parts_.of_first);
    const Draw second = rackcast::slopes(parts_.of_second);
    for (std::size_t d = 0; d < direction_count; ++d)
      out[d] = of_first_ * out[d] + (1 - of_first_) * second[d];
    return out;
  }

 private:
  const SideBySide& parts_;
  double power_ = 1, of_first_ = 1;
};

}  // namespace

SpreadQuantiles joint_spread(const Moves& moves, const std::optional<SideBySide>& parts) {
  const auto moving = std::ranges::count_if(moves, moves_it);
  if (!parts && moving == 0) return {};
  if (!parts && moving == 1) {
    const MovedEnds one = *std::ranges::find_if(moves, moves_it);
    if (one.below * one.above <= 0)
      return {std::min(one.below, one.above), 0, std::max(one.below, one.above)};
  }
  Draw slope = slopes(moves);
  std::optional<Parts> both;
  if (parts) {
    both.emplace(*parts);
    const Draw more = both->slopes();
    for (std::size_t d = 0; d < direction_count; ++d) slope[d] += more[d];
  }
  std::vector<double> changes, linear;
  double variance = 0;
  for (const double s : slope) variance += s * s;
  for (const Draw& draw : draws()) {
    double sum = 0;
    for (std::size_t d = 0; d < direction_count; ++d) sum += slope[d] * draw[d];
    linear.push_back(sum);
    changes.push_back(change(moves, draw) + (both ? both->change_at(draw) : 0));
  }
  // The same draws say how far their quantiles are from those of a normal distribution, which are known.
  std::ranges::sort(changes);
  std::ranges::sort(linear);
  const auto of_sorted = [](const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size()) - 0.5;
    const auto below = static_cast<std::size_t>(place);
    return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
  };
  const auto at = [&](double share, double deviations) {
    return of_sorted(changes, share) - of_sorted(linear, share) + deviations * std::sqrt(variance);
  };
  return {at(0.05, -half_of_90_percent), at(0.5, 0), at(0.95, half_of_90_percent)};
}

}  // namespace rackcast
