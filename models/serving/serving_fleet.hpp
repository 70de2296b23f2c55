#pragma once
/// A fleet of equal servers: its load over a day, and how many of its nodes are up.
#include <array>
#include <optional>

#include "sim/units/quantity.hpp"

namespace rackcast {

inline constexpr std::size_t hours_of_day = 24;
using DayProfile = std::array<double, hours_of_day>;  ///< load of each hour over the mean of the day

/// A day with one busy time, `peak` times the mean: exp(k cos(2 pi (hour - 14) / 24)) over its mean (a von
/// Mises profile), k such that the busiest hour comes to `peak`. An assumption of shape, which no limit hangs
/// on: the busiest hour alone decides the size, the others only energy and mean use. Throws Error unless 1 <=
/// peak <= 12.
DayProfile day_profile(double peak);

/// The share of the time in which at least `needed` of `needed + spares` nodes are up, each down for the
/// share `down` of it independently of the others: a sum of binomial probabilities.
double fleet_availability(int needed, int spares, double down);

/// The least number of spares, up to `most`, with which that share is at least `target`; nothing if none is
/// enough.
std::optional<int> spares_for_availability(int needed, double down, double target, int most);

}  // namespace rackcast
