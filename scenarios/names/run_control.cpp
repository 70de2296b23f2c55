#include "scenarios/names/run_control.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

[[noreturn]] void fail(const std::string& text) {
  throw Error{fmt::format("--limit \"{}\" is neither a time nor a number of events", text),
              {},
              "for example --limit 10s or --limit events=1e6",
              ErrorKind::usage};
}

std::uint64_t read_events(const std::string& text, const std::string& number) {
  try {
    std::size_t used = 0;
    const double events = std::stod(number, &used);
    if (used == number.size() && events >= 1 && events < 1e18) return static_cast<std::uint64_t>(events);
  } catch (const std::exception&) {  // stod throws more than one family
  }
  fail(text);
}

Duration read_time(const std::string& text) {
  try {
    const Duration time = parse_quantity<Duration>(text);
    if (time.base() > 0 && std::isfinite(time.base())) return time;
  } catch (const Error&) {
  }
  fail(text);
}

}  // namespace

bool RunControl::limited() const {
  return max_events != std::numeric_limits<std::uint64_t>::max() || std::isfinite(wall_clock.base());
}

RunControl read_limits(const std::vector<std::string>& texts) {
  constexpr std::string_view events = "events=";
  RunControl control;
  for (const std::string& text : texts) {
    if (text.starts_with(events)) {
      control.max_events = read_events(text, text.substr(events.size()));
    } else {
      control.wall_clock = read_time(text);
    }
  }
  return control;
}

}  // namespace rackcast
