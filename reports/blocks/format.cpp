#include "reports/blocks/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/units/quantity.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

/// "1234567.8" with commas between the thousands before the point.
std::string with_thousands(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

/// A value in the unit that reads best: "13.4", "days" and what one day is in base units.
struct Scaled {
  std::string number, unit;
  double factor = 1;
};

Scaled scaled(std::string text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string::npos) {
    return {std::move(text), {}, 1};
  }
  const std::string unit = text.substr(space + 1);
  return {text.substr(0, space), unit, parse_unit(unit).base};
}

Scaled scaled(double value, const std::string& unit) {
  if (unit == "1") {
    return {percent_text(value).substr(0, percent_text(value).find(' ')), "%", 0.01};
  }
  if (unit == "s") {
    return scaled(to_text(Duration{value}));
  }
  if (unit == "B") {
    return scaled(to_text(Bytes{value}));
  }
  if (unit == "B/s") {
    return scaled(to_text(Bandwidth{value}));
  }
  if (unit == "FLOP") {
    return scaled(to_text(Flop{value}));
  }
  if (unit == "FLOP/s") {
    return scaled(to_text(FlopRate{value}));
  }
  if (unit == "J") {
    return scaled(to_text(Energy{value}));
  }
  if (unit == "W") {
    return scaled(to_text(Power{value}));
  }
  if (unit == "1/s") {
    return {number_text(value), "/s", 1};
  }
  return {number_text(value), unit, 1};
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) {
    return "unbounded";
  }
  if (value == 0) {
    return "0";
  }
  if (std::abs(value) >= 1e16 || std::abs(value) < 1e-5) {
    return fmt::format("{:.3g}", value);
  }
  // Rounded first, so that 999,600 is "1 million" and not "1,000,000".
  const double power = std::floor(std::log10(std::abs(value)));
  const double unit = std::pow(10.0, std::abs(power - 2));
  const double rounded = power >= 2 ? std::round(value / unit) * unit : std::round(value * unit) / unit;
  const double size = std::abs(rounded);
  if (size >= 1e15 || size < 1e-4) {
    return fmt::format("{:.3g}", value);
  }
  for (const auto& [word, factor] : {std::pair{"trillion", 1e12}, {"billion", 1e9}, {"million", 1e6}}) {
    if (size >= factor) {
      return fmt::format("{} {}", number_text(rounded / factor), word);
    }
  }
  if (rounded == std::floor(rounded)) {
    return with_thousands(fmt::format("{:.0f}", rounded));
  }
  return fmt::format("{:.{}f}", rounded, 2 - static_cast<int>(power));
}

std::string count_text(std::int64_t value) {
  return with_thousands(std::to_string(value));
}

std::string percent_text(double fraction) {
  const double percent = 100 * fraction, size = std::abs(percent);
  if (size > 0 && size < 0.005) return percent > 0 ? "<0.01 %" : ">-0.01 %";
  if (percent >= 99.995 && percent < 100) return ">99.99 %";
  // What is nearly nothing or nearly everything keeps the digits that tell it from them.
  const double rest = std::abs(100 - percent);
  const int digits = size == 0 || rest == 0        ? 0
                     : std::min(size, rest) < 0.05 ? 2
                     : size < 9.95 || rest < 0.5   ? 1
                                                   : 0;
  return fmt::format("{:.{}f} %", percent, digits);
}

std::string duration_text(double seconds) {
  return to_text(Duration{seconds});
}

std::optional<std::chrono::sys_days> calendar_day(std::string_view iso) {
  if (iso.size() != 10 || iso[4] != '-' || iso[7] != '-') return std::nullopt;
  const auto number = [iso](std::size_t at, std::size_t length) {
    int value = -1;
    const char* end = iso.data() + at + length;
    return std::from_chars(iso.data() + at, end, value).ptr == end ? value : -1;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  return date.ok() ? std::optional(std::chrono::sys_days{date}) : std::nullopt;
}

std::string date_text(std::chrono::sys_days day, double seconds) {
  constexpr std::array<const char*, 12> months{"January",   "February", "March",    "April",
                                               "May",       "June",     "July",     "August",
                                               "September", "October",  "November", "December"};
  constexpr double seconds_per_day = 86400, last = 2'932'896;  // 31 December 9999, days since 1970
  const double days = std::floor(seconds / seconds_per_day);
  if (!(static_cast<double>(day.time_since_epoch().count()) + days <= last)) return "after 9999";
  const std::chrono::year_month_day date{day + std::chrono::days{static_cast<int>(days)}};
  return fmt::format("{} {} {}", static_cast<unsigned>(date.day()),
                     months.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()));
}

std::string nodes_text(std::int64_t nodes, std::int64_t spares) {
  return spares > 0 ? count_text(nodes) + " + " + counted(spares, "spare") : count_text(nodes);
}

std::string sum_text(std::string text, bool leaves_out) {
  return leaves_out && !text.empty() ? "at least " + std::move(text) : text;
}

std::string left_out_text(const std::vector<std::string>& items, std::string_view fact) {
  constexpr std::size_t most = 2;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, items.size()); ++i) out += (i > 0 ? ", " : "") + items[i];
  if (items.size() > most) out += fmt::format(" and {} more", items.size() - most);
  return fmt::format("without {}, whose {} is not known", out, fact);
}

Cell nodes_cell(std::optional<std::int64_t> nodes, std::int64_t spares) {
  Cell cell = count_cell(nodes);
  if (nodes && spares > 0) cell.text = nodes_text(*nodes, spares);
  return cell;
}

Cell sum_cell(Cell cell, bool leaves_out) {
  cell.text = sum_text(std::move(cell.text), leaves_out);
  if (leaves_out && cell.tone == Tone::plain) cell.tone = Tone::caution;
  return cell;
}

std::string counted(std::int64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count_text(count), singular, count == 1 ? "" : "s");
}

std::string prediction_text(const Prediction& p) {
  const Scaled value = scaled(p.value, p.unit);
  const std::string unit = value.unit.empty() ? "" : (value.unit.starts_with('/') ? "" : " ") + value.unit;
  if (p.low >= p.high) {
    return value.number + unit;
  }
  const auto bound = [&](double base) {
    return p.unit == "1" ? percent_text(base).substr(0, percent_text(base).find(' '))
                         : number_text(base / value.factor);
  };
  const std::string low = bound(p.low), high = bound(p.high);
  if (low == high && low == value.number) {
    return value.number + unit;
  }
  return fmt::format("{}{} ({} to {})", value.number, unit, low, high);
}

Cell no_answer_cell() {
  return text_cell("no answer");
}

Cell text_cell(std::string text) {
  return {.text = std::move(text), .value = {}, .unit = {}};
}

Cell count_cell(std::optional<std::int64_t> value) {
  if (!value) {
    return {};
  }
  return {.text = count_text(*value), .value = static_cast<double>(*value), .unit = "1"};
}

Cell bytes_cell(std::optional<double> value) {
  return value ? Cell{to_text(Bytes{*value}), value, "B"} : Cell{};
}

Cell number_cell(std::optional<double> value, std::string unit) {
  if (!value) {
    return {};
  }
  return {.text = number_text(*value), .value = value, .unit = std::move(unit)};
}

Cell percent_cell(std::optional<double> fraction) {
  if (!fraction) {
    return {};
  }
  return {.text = percent_text(*fraction), .value = fraction, .unit = "1"};
}

std::string limit_title(std::string limit) {
  for (const std::string_view objective : {"fewest-nodes", "lowest-cost", "lowest-energy", "fastest"}) {
    if (limit != objective) continue;
    std::ranges::replace(limit, '-', ' ');
    return "the objective, " + limit;
  }
  std::ranges::replace(limit, '_', ' ');
  if (limit.starts_with("gpu ")) limit.replace(0, 3, "GPU");
  return limit;
}

Cell prediction_cell(const std::optional<Prediction>& prediction) {
  if (!prediction) {
    return {};
  }
  return {.text = prediction_text(*prediction),
          .value = prediction->value,
          .unit = prediction->unit,
          .low = prediction->low,
          .high = prediction->high};
}

Cell with_interval(Cell cell, std::optional<double> low, std::optional<double> high,
                   std::string (*text)(double)) {
  if (!low || !high || *low >= *high) return cell;
  cell.low = low;
  cell.high = high;
  std::string from = text(*low), to = text(*high);
  if (from == to && from == cell.text) return cell;
  const auto unit = [](const std::string& s) {
    return s.substr(std::min(s.find(' '), s.size()));
  };
  if (unit(from) == unit(cell.text) && unit(to) == unit(cell.text)) {  // said once
    from.resize(from.size() - unit(from).size());
    to.resize(to.size() - unit(to).size());
  }
  cell.text += fmt::format(" ({} to {})", from, to);
  return cell;
}

}  // namespace rackcast::reports
