#include "reports/charts/axis_unit.hpp"

#include <array>
#include <span>

namespace rackcast::reports {
namespace {

struct Step {
  double from, base;  ///< from this value on, in units of `base`
  const char* name;
};

constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
constexpr std::array<Step, 7> times{{{3 * year, year, "years"},
                                     {2 * day, day, "days"},
                                     {2 * hour, hour, "hours"},
                                     {2 * minute, minute, "minutes"},
                                     {1, 1, "s"},
                                     {1e-3, 1e-3, "ms"},
                                     {0, 1e-6, "µs"}}};
constexpr std::array<Step, 6> bytes{{{1e15, 1e15, "PB"},
                                     {1e12, 1e12, "TB"},
                                     {1e9, 1e9, "GB"},
                                     {1e6, 1e6, "MB"},
                                     {1e3, 1e3, "kB"},
                                     {0, 1, "B"}}};
constexpr std::array<Step, 3> watts{{{1e6, 1e6, "MW"}, {1e3, 1e3, "kW"}, {0, 1, "W"}}};
constexpr std::array<Step, 4> money{
    {{1e9, 1e9, "billion USD"}, {1e6, 1e6, "million USD"}, {1e4, 1e3, "thousand USD"}, {0, 1, "USD"}}};
constexpr std::array<Step, 4> counts{
    {{1e10, 1e9, "billions"}, {1e7, 1e6, "millions"}, {1e5, 1e3, "thousands"}, {0, 1, ""}}};

AxisUnit first_reached(std::span<const Step> steps, double largest) {
  for (const Step& step : steps) {
    if (largest >= step.from) {
      return {step.base, step.name};
    }
  }
  return {steps.back().base, steps.back().name};
}

}  // namespace

AxisUnit axis_unit(Axis::Kind kind, double largest) {
  switch (kind) {
    case Axis::Kind::seconds:
      return first_reached(times, largest);
    case Axis::Kind::days:
      return {1, "days"};
    case Axis::Kind::bytes:
      return first_reached(bytes, largest);
    case Axis::Kind::bytes_per_s: {
      AxisUnit unit = first_reached(bytes, largest);
      unit.name += "/s";
      return unit;
    }
    case Axis::Kind::per_second: {
      AxisUnit unit = first_reached(counts, largest);
      unit.name += unit.name.empty() ? "1/s" : " per second";
      return unit;
    }
    case Axis::Kind::watts:
      return first_reached(watts, largest);
    case Axis::Kind::percent:
      return {0.01, "%"};
    case Axis::Kind::money:
      return first_reached(money, largest);
    case Axis::Kind::count:
      break;
  }
  return first_reached(counts, largest);
}

std::string axis_title(const Axis& axis, const AxisUnit& unit) {
  return axis.label + (unit.name.empty() ? "" : " (" + unit.name + ")");
}

}  // namespace rackcast::reports
