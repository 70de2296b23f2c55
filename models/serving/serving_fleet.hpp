#pragma once
/// A fleet of equal servers: its load over a day, and how many of its nodes are up.
#include <array>
#include <optional>

#include "sim/units/quantity.hpp"

namespace rackcast {

inline constexpr std::size_t hours_of_day = 24;
using DayProfile = std::array<double, hours_of_day>;  ///< load of each hour over the mean of the day

/// A day with one busy time, `peak` times the mean: exp(k cos(2 pi (hour - 14) / 24)) over its mean (a von
/// Mises profile), k such that the busiest hour comes to `peak`. The shape is an assumption, which decides no
/// limit: the size of the fleet follows from the busiest hour alone, and the other hours affect energy and
/// mean use only. Throws Error unless 1 <= peak <= 12.
DayProfile day_profile(double peak);

/// Share of the time in which at least `needed` of `needed + spares` nodes are up: a sum of binomial
/// probabilities. Each node is down for the share `down` of the time, independently of the others.
double fleet_availability(int needed, int spares, double down);

/// The least number of spares, up to `most`, with which that share is at least `target`; nothing if none is
/// enough.
std::optional<int> spares_for_availability(int needed, double down, double target, int most);

}  // namespace rackcast
