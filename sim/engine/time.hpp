#pragma once
/// The clock of the event engine: whole ticks of a length chosen once per engine.
///
/// A training step runs on picoseconds (range 106 days), a campaign on microseconds (292,000 years). A
/// Duration becomes ticks once, when something is scheduled, rounded to nearest; from there on time is exact,
/// so equal instants compare equal and nothing drifts.
#include <compare>
#include <cstdint>
#include <limits>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// A point in simulated time, or a span, in ticks since the start. Only a Clock knows how long a tick is.
struct SimTime {
  std::int64_t ticks = 0;

  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return {a.ticks - b.ticks}; }
};

/// Later than every event.
inline constexpr SimTime never{std::numeric_limits<std::int64_t>::max()};

/// Length of a tick as a power of ten: 10^-digits seconds.
enum class TickLength : int { second = 0, millisecond = 3, microsecond = 6, nanosecond = 9, picosecond = 12 };

class Clock {
 public:
  explicit Clock(TickLength tick);

  [[nodiscard]] TickLength tick() const { return tick_; }
  [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }

  /// Rounded to nearest, halves away from zero. Throws Error if it is not a number or beyond the clock's
  /// range.
  [[nodiscard]] SimTime ticks(Duration duration) const;
  [[nodiscard]] Duration duration(SimTime time) const {
    return Duration{static_cast<double>(time.ticks) / ticks_per_second_};
  }
  /// start + span; throws Error beyond the clock's range.
  [[nodiscard]] SimTime after(SimTime start, SimTime span) const;

 private:
  TickLength tick_;
  double ticks_per_second_;
};

}  // namespace rackcast
