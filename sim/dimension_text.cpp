#include "sim/dimension_text.hpp"

#include <fmt/format.h>

#include "sim/quantity_text.hpp"

namespace rackcast {
namespace {

struct NamedDimension {
  Dimension dimension;
  std::string_view name;
  std::string_view unit;     ///< what a bare number most likely meant
  std::string_view example;  ///< a whole quantity
};

constexpr NamedDimension named_dimensions[] = {
    {Duration::dimension, "a duration", "s", "7 days"},
    {Frequency::dimension, "a rate", "1/s", "1200/s"},
    {Bytes::dimension, "a data size", "GB", "104 TB"},
    {Bandwidth::dimension, "a bandwidth", "GB/s", "25 GB/s"},
    {Flop::dimension, "an amount of computation", "GFLOP", "12 GFLOP"},
    {FlopRate::dimension, "a compute rate", "TFLOP/s", "125 TFLOP/s"},
    {Energy::dimension, "an energy", "kWh", "12 kWh"},
    {Power::dimension, "a power", "W", "35 kW"},
    {Money::dimension, "an amount of money", "USD", "149000 USD"},
    {MoneyRate::dimension, "a cost rate", "USD/h", "2.5 USD/h"},
    {EnergyPrice::dimension, "an energy price", "USD/kWh", "0.12 USD/kWh"},
    {Money::dimension - Bytes::dimension, "a price of storage", "USD/TB", "25 USD/TB"},
    {Money::dimension - Power::dimension, "a price of power capacity", "USD/W", "9 USD/W"},
    {Energy::dimension - Flop::dimension, "an energy for computation", "J/FLOP", "1e-11 J/FLOP"},
    {Energy::dimension - Bytes::dimension, "an energy for data", "J/B", "6e-11 J/B"},
    {Mass::dimension, "a mass", "kg", "60 kg"},
    {Length::dimension, "a length", "m", "3 m"},
    {Area::dimension, "an area", "m2", "120 m2"},
};

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

std::string describe(Dimension dimension) {
  const NamedDimension* named = find(dimension);
  if (named == nullptr) return dimension_name(dimension);
  return fmt::format("{} such as \"{}\"", named->name, named->example);
}

}  // namespace rackcast
