#include "sim/engine/time.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr double tick_limit =
    9.2e18;  // a little below 2^63, so that sums of two are checked without overflow

double power_of_ten(int digits) {
  double value = 1;
  for (int i = 0; i < digits; ++i) value *= 10;
  return value;
}

[[noreturn]] void fail_range(double seconds, double ticks_per_second) {
  throw Error(fmt::format("a time of {:g} s does not fit the simulation clock, which ends at {:g} s", seconds,
                          tick_limit / ticks_per_second),
              {}, "a rate of the input is far too low for the work, or a time far too long");
}

}  // namespace

Clock::Clock(TickLength tick) : tick_(tick), ticks_per_second_(power_of_ten(static_cast<int>(tick))) {}

SimTime Clock::ticks(Duration duration) const {
  const double exact = duration.base() * ticks_per_second_;
  if (!(std::fabs(exact) < tick_limit)) fail_range(duration.base(), ticks_per_second_);
  return {std::llround(exact)};
}

SimTime Clock::after(SimTime start, SimTime span) const {
  const double sum = static_cast<double>(start.ticks) + static_cast<double>(span.ticks);
  if (sum >= tick_limit) fail_range(sum / ticks_per_second_, ticks_per_second_);
  return {start.ticks + span.ticks};
}

}  // namespace rackcast
