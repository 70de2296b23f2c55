#pragma once
/// The joint spread of one figure under several uncertain factors.
///
/// Each factor was moved alone, by 1.645 standard deviations to either side, and the figure was predicted
/// again (MovedEnds). In between and beyond, ln(figure) is taken as linear, with a slope of its own on either
/// side. The factors are independent and normal, so the figure has a distribution: its 5 %, 50 % and 95 % are
/// those of quasi-random draws of all factors together.
///
/// Changes of one factor after another add up, unless two parts run side by side and the longer one counts.
/// Then
///
///     figure = (first^p + second^p)^(1/p),
///
/// with each part alone, the other one being much faster, and the p >= 1 that gives the figure in the middle:
/// p = 1 says one after the other, a large p says the longer of the two.
#include <array>
#include <cstddef>
#include <optional>

#include "scenarios/measured/factors.hpp"

namespace rackcast {

/// Changes of ln(figure) where the factor is 1.645 standard deviations below and above its middle.
struct MovedEnds {
  double below = 0, above = 0;
};

/// Independent directions: those of the factors (FactorBelief::root), and the rate of failures.
inline constexpr std::size_t direction_count = factor_count + 1;
using Moves = std::array<MovedEnds, direction_count>;

/// Two parts side by side: their figures, each alone, over the figure of both; and how each moves.
struct SideBySide {
  double first = 1, second = 1;
  Moves of_first{}, of_second{};
};

/// Of ln(figure / figure in the middle).
struct SpreadQuantiles {
  double low = 0, median = 0, high = 0;  ///< 5 %, 50 %, 95 %
};

/// `moves`: of the whole figure. With `parts`, of the directions that move neither of them alone (failures).
/// Exact where every direction is linear, or one alone moves the figure; otherwise as good as 2,048 draws.
SpreadQuantiles joint_spread(const Moves& moves, const std::optional<SideBySide>& parts = {});

}  // namespace rackcast
