#pragma once
/// When a simulation stops although there is more to do.
#include <cstdint>
#include <limits>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// The defaults never stop.
struct Limits {
  std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max();
  Duration wall_clock{std::numeric_limits<double>::infinity()};
  Duration until{
      std::numeric_limits<double>::infinity()};  ///< simulated; events at this very time still happen
};

enum class StopReason { finished, event_limit, wall_clock_limit, time_limit, paused };

/// A limit was reached before what was asked for was done.
struct LimitReached : Error {
  using Error::Error;
};

/// For people: "the event limit".
std::string_view to_string(StopReason reason);

}  // namespace rackcast
