/// Quantities for people: three significant digits and the unit that reads best.
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>

#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {
namespace {

/// A unit, and from how many of it on it is the one to use.
struct Scale {
  double factor;
  std::string_view unit;
  double from = 1;
};

double rounded(double value, int digits) {
  const double magnitude = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
  if (!std::isfinite(magnitude) || magnitude == 0) return value;
  return std::round(value * magnitude) / magnitude;
}

/// `value` in base units. The scales ascend; the first one serves whatever is smaller.
std::string scaled(double value, std::span<const Scale> scales, int digits = 3) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value > 0 ? "unlimited" : "-unlimited";
  if (value == 0) return fmt::format("0 {}", scales.front().unit);
  const double size = std::abs(value);
  const Scale* best = &scales.front();
  for (const Scale& scale : scales) {
    // Rounded before compared: 999.9 GB is 1 TB and not 1000 GB.
    if (rounded(size / scale.factor, digits) >= scale.from) best = &scale;
  }
  const double shown = rounded(size / best->factor, digits);
  const std::string number = digits > 3                     ? fmt::format("{}", shown)
                             : shown < 1e-4 || shown >= 1e7 ? fmt::format("{:.3g}", shown)
                             : shown >= 100                 ? fmt::format("{:.0f}", shown)
                                                            : fmt::format("{:.3g}", shown);
  const std::string_view space = best->unit.starts_with('/') ? "" : " ";
  return fmt::format("{}{}{}{}", value < 0 ? "-" : "", number, space, best->unit);
}

constexpr double day = 86400;
constexpr Scale durations[] = {{1e-12, "ps"},  {1e-9, "ns"},     {1e-6, "us"},
                               {1e-3, "ms"},   {1, "s"},         {60, "min", 2},
                               {3600, "h", 2}, {day, "days", 2}, {365.25 * day, "years", 2}};
constexpr Scale frequencies[] = {{1 / (365.25 * day), "/year"},
                                 {1 / day, "/day"},
                                 {1.0 / 3600, "/h"},
                                 {1, "Hz"},
                                 {1e3, "kHz"},
                                 {1e6, "MHz"},
                                 {1e9, "GHz"},
                                 {1e12, "THz"}};
constexpr Scale sizes[] = {{1, "B"},     {1e3, "kB"},  {1e6, "MB"},  {1e9, "GB"},
                           {1e12, "TB"}, {1e15, "PB"}, {1e18, "EB"}, {1e21, "ZB"}};
constexpr Scale bandwidths[] = {{1, "B/s"},     {1e3, "kB/s"},  {1e6, "MB/s"}, {1e9, "GB/s"},
                                {1e12, "TB/s"}, {1e15, "PB/s"}, {1e18, "EB/s"}};
constexpr Scale operations[] = {{1, "FLOP"},     {1e3, "kFLOP"},  {1e6, "MFLOP"},
                                {1e9, "GFLOP"},  {1e12, "TFLOP"}, {1e15, "PFLOP"},
                                {1e18, "EFLOP"}, {1e21, "ZFLOP"}, {1e24, "YFLOP"}};
constexpr Scale compute_rates[] = {{1, "FLOP/s"},     {1e3, "kFLOP/s"},  {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"},
                                   {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}, {1e18, "EFLOP/s"}};
constexpr Scale energies[] = {{1e-12, "pJ"}, {1e-9, "nJ"},   {1e-6, "uJ"},   {1e-3, "mJ"},   {1, "J"},
                              {1e3, "kJ"},   {3.6e6, "kWh"}, {3.6e9, "MWh"}, {3.6e12, "GWh"}};
constexpr Scale powers[] = {{1e-3, "mW"}, {1, "W"}, {1e3, "kW"}, {1e6, "MW"}, {1e9, "GW"}};
constexpr Scale amounts[] = {{1, "USD"}, {1e6, "million USD"}, {1e9, "billion USD"}};
constexpr Scale cost_rates[] = {{1.0 / 3600, "USD/h"}};
constexpr Scale energy_prices[] = {{1.0 / 3.6e6, "USD/kWh"}};
constexpr Scale masses[] = {{1e-3, "g"}, {1, "kg"}, {1e3, "t", 10}};
constexpr Scale lengths[] = {{1e-3, "mm"}, {1, "m"}, {1e3, "km"}};
constexpr Scale areas[] = {{1, "m2"}};

template <class Quantity>
std::string apart(Quantity q, Quantity limit, std::span<const Scale> scales) {
  std::string out = to_text(q);
  if (std::abs(q / limit - 1) <= 1e-9) return out;
  const std::string other = to_text(limit);
  constexpr int most = 9;
  for (int digits = 4; digits <= most && out == other; ++digits) out = scaled(q.base(), scales, digits);
  return out;
}

}  // namespace

std::string to_text(Duration q) {
  return q == Duration{} ? "0 s" : scaled(q.base(), durations);
}
std::string to_text(Frequency q) {
  return scaled(q.base(), frequencies);
}
std::string to_text(Bytes q) {
  return scaled(q.base(), sizes);
}
std::string to_text(Bandwidth q) {
  return scaled(q.base(), bandwidths);
}
std::string to_text(Flop q) {
  return scaled(q.base(), operations);
}
std::string to_text(FlopRate q) {
  return scaled(q.base(), compute_rates);
}
std::string to_text(Energy q) {
  return q == Energy{} ? "0 J" : scaled(q.base(), energies);
}
std::string to_text(Power q) {
  return q == Power{} ? "0 W" : scaled(q.base(), powers);
}
std::string to_text(Money q) {
  return scaled(q.base(), amounts);
}
std::string to_text(MoneyRate q) {
  return scaled(q.base(), cost_rates);
}
std::string to_text(EnergyPrice q) {
  return scaled(q.base(), energy_prices);
}
std::string to_text(Mass q) {
  return scaled(q.base(), masses);
}
std::string to_text(Length q) {
  return q == Length{} ? "0 m" : scaled(q.base(), lengths);
}
std::string to_text(Area q) {
  return scaled(q.base(), areas);
}

std::string told_apart(Duration q, Duration limit) {
  return apart(q, limit, durations);
}
std::string told_apart(Power q, Power limit) {
  return apart(q, limit, powers);
}
std::string told_apart(Money q, Money limit) {
  return apart(q, limit, amounts);
}
std::string told_apart(Area q, Area limit) {
  return apart(q, limit, areas);
}

}  // namespace rackcast
