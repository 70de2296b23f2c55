#include <chrono>
#include <cmath>
#include <string>

#include "calibrate/import/power_log/power_log.hpp"

namespace rackcast {
namespace {

/// Takes `count` digits off the front, or nothing.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds east of UTC of "", "Z", "+01:00" or "-0800".
std::optional<int> zone_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "UTC") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take_one_of(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  (void)take_one_of(text, ":");
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 14 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

/// A number since 1970: today is 1.7e9 s, so the size tells the unit.
std::optional<double> since_epoch(double number) {
  if (!(number >= 0)) return std::nullopt;
  for (const double unit : {1.0, 1e3, 1e6, 1e9})
    if (number < 1e11 * unit) return number / unit;
  return std::nullopt;
}

}  // namespace

std::optional<double> power_log_time(std::string_view text) {
  namespace chrono = std::chrono;
  text = trimmed(text);
  if (const auto number = to_number(text)) return since_epoch(*number);
  const auto year = take_digits(text, 4);
  if (!year || !take_one_of(text, "/-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_one_of(text, "/-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take_one_of(text, "T ")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take_one_of(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60 || *year < 1970) return std::nullopt;
  double part = 0, unit = 0.1;
  if (take_one_of(text, ".,"))
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; unit /= 10) {
      part += unit * (text.front() - '0');
      text.remove_prefix(1);
    }
  const auto zone = zone_offset(trimmed(text));
  const chrono::year_month_day date{chrono::year{*year}, chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!zone || !date.ok()) return std::nullopt;
  const auto days = chrono::sys_days{date}.time_since_epoch().count();
  return static_cast<double>(days) * 86400 + *hour * 3600 + *minute * 60 + *second + part - *zone;
}

bool is_no_value(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) return true;  // "[N/A]", "[Unknown Error]"
  return text.empty() || text == "N/A" || text == "NaN" || text == "nan" || text == "-";
}

}  // namespace rackcast
