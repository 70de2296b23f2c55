#include "sim/units/dimension_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

struct NamedDimension {
  Dimension dimension;
  std::string_view name;
  std::string_view unit;     ///< what a bare number most likely meant
  std::string_view example;  ///< a whole quantity
  std::string_view least, most;
};

// The ends are far outside of what exists, and near enough that products and sums of them stay finite: a
// picosecond is a tick of the clock of a step, and 30,000 years fit the clock of a campaign
// (sim/engine/time.hpp).
constexpr NamedDimension named_dimensions[] = {
    {Duration::dimension, "a duration", "s", "7 days", "1 ps", "30000 years"},
    {Frequency::dimension, "a rate", "1/s", "1200/s", "1e-12/s", "1e18/s"},
    {Bytes::dimension, "a data size", "GB", "104 TB", "1 bit", "1 YB"},
    {Bandwidth::dimension, "a bandwidth", "GB/s", "25 GB/s", "1 B/s", "1 EB/s"},
    {Flop::dimension, "an amount of computation", "GFLOP", "12 GFLOP", "1 FLOP", "1e12 YFLOP"},
    {FlopRate::dimension, "a compute rate", "TFLOP/s", "125 TFLOP/s", "1 MFLOP/s", "1 ZFLOP/s"},
    {Energy::dimension, "an energy", "kWh", "12 kWh", "1 pJ", "1 YJ"},
    {Power::dimension, "a power", "W", "35 kW", "1 mW", "1 TW"},
    {Money::dimension, "an amount of money", "USD", "149000 USD", "1e-9 USD", "1e15 USD"},
    {MoneyRate::dimension, "a cost rate", "USD/h", "2.5 USD/h", "1e-9 USD/h", "1e12 USD/h"},
    {EnergyPrice::dimension, "an energy price", "USD/kWh", "0.12 USD/kWh", "1e-9 USD/kWh", "1e6 USD/kWh"},
    {Money::dimension - Bytes::dimension, "a price of storage", "USD/TB", "25 USD/TB", "1e-9 USD/TB",
     "1e12 USD/TB"},
    {Money::dimension - Power::dimension, "a price of power capacity", "USD/W", "9 USD/W", "1e-9 USD/W",
     "1e9 USD/W"},
    {Energy::dimension - Flop::dimension, "an energy for computation", "J/FLOP", "1e-11 J/FLOP",
     "1e-21 J/FLOP", "1 J/FLOP"},
    {Energy::dimension - Bytes::dimension, "an energy for data", "J/B", "6e-11 J/B", "1e-21 J/B", "1 kJ/B"},
    {Mass::dimension, "a mass", "kg", "60 kg", "1 mg", "1e9 t"},
    {Length::dimension, "a length", "m", "3 m", "1e-6 mm", "1e6 km"},
    {Area::dimension, "an area", "m2", "120 m2", "1e-6 m2", "1e12 m2"},
};

struct PlausibleRange {
  double least, most;
};

/// In base units, by the order of named_dimensions.
const std::vector<PlausibleRange>& plausible_ranges() {
  static const std::vector<PlausibleRange> ranges = [] {
    std::vector<PlausibleRange> out;
    for (const NamedDimension& named : named_dimensions)
      out.push_back({parse_any_quantity(named.least).base, parse_any_quantity(named.most).base});
    return out;
  }();
  return ranges;
}

const NamedDimension* find(Dimension dimension) {
  for (const NamedDimension& named : named_dimensions) {
    if (named.dimension == dimension) return &named;
  }
  return nullptr;
}

std::string exponents(Dimension d) {
  std::string text;
  const auto add = [&](std::string_view unit, int exponent) {
    if (exponent == 0) return;
    text += text.empty() ? "" : " ";
    text += unit;
    if (exponent != 1) text += fmt::format("^{}", exponent);
  };
  add("USD", d.money);
  add("FLOP", d.flop);
  add("B", d.data);
  add("J", d.energy);
  add("kg", d.mass);
  add("m", d.length);
  add("s", d.time);
  return text;
}

}  // namespace

std::string dimension_name(Dimension dimension) {
  if (dimension == dimensionless) return "a plain number";
  if (const NamedDimension* named = find(dimension)) return std::string{named->name};
  return "a quantity in " + exponents(dimension);
}

std::string_view usual_unit(Dimension dimension) {
  const NamedDimension* named = find(dimension);
  return named != nullptr ? named->unit : std::string_view{};
}

void require_plausible(std::string_view text, double base, Dimension dimension) {
  const NamedDimension* named = find(dimension);
  if (named == nullptr || base <= 0) return;
  const PlausibleRange& range = plausible_ranges()[static_cast<std::size_t>(named - named_dimensions)];
  if (base >= range.least && base <= range.most) return;
  throw Error{fmt::format("{} cannot be {}: it must lie between {} and {}", in_quotes(text), named->name,
                          named->least, named->most),
              {},
              "look at the exponent and the unit"};
}

std::string describe(Dimension dimension) {
  const NamedDimension* named = find(dimension);
  if (named == nullptr) return dimension_name(dimension);
  return fmt::format("{} such as \"{}\"", named->name, named->example);
}

}  // namespace rackcast
