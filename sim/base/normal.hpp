#pragma once
/// Half widths of intervals of a normal distribution, in standard deviations.
namespace rackcast {

/// Of the 90 % interval: from the 5th to the 95th percentile.
inline constexpr double half_of_90_percent = 1.645;
inline constexpr double half_of_99_percent = 2.576;

}  // namespace rackcast
