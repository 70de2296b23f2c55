#include "sim/units/unit_table.hpp"

#include <algorithm>
#include <vector>

namespace rackcast {
namespace {

constexpr Dimension time_dimension = Duration::dimension;
constexpr Dimension rate_dimension = Frequency::dimension;

struct Prefix {
  std::string_view name;
  double factor;
};

// SI Brochure, 9th edition (BIPM 2019), table 7; IEC 80000-13:2008, clause 4.
constexpr Prefix decimal_prefixes[] = {{"k", 1e3},  {"M", 1e6},  {"G", 1e9},  {"T", 1e12},
                                       {"P", 1e15}, {"E", 1e18}, {"Z", 1e21}, {"Y", 1e24}};
constexpr Prefix binary_prefixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
                                      {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60}};
constexpr Prefix small_prefixes[] = {{"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6},
                                     {"μ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

struct BaseUnit {
  std::string_view name;
  double factor;
  Dimension dimension;
};

// These take every decimal prefix above one. OP is an integer operation and counts like a FLOP; IOPS and T
// (transfer, as in "GT/s") are counts.
constexpr BaseUnit large_units[] = {
    {"B", 1, Bytes::dimension},      {"bit", 0.125, Bytes::dimension}, {"FLOP", 1, Flop::dimension},
    {"OP", 1, Flop::dimension},      {"J", 1, Energy::dimension},      {"W", 1, Power::dimension},
    {"Wh", 3600, Energy::dimension}, {"Hz", 1, rate_dimension},        {"USD", 1, Money::dimension},
    {"IOPS", 1, rate_dimension},
};
// These take the decimal prefixes below one.
constexpr BaseUnit small_units[] = {
    {"s", 1, time_dimension},
    {"J", 1, Energy::dimension},
    {"W", 1, Power::dimension},
};
constexpr double day = 86400;
constexpr BaseUnit single_units[] = {
    {"s", 1, time_dimension},
    {"sec", 1, time_dimension},
    {"second", 1, time_dimension},
    {"seconds", 1, time_dimension},
    {"min", 60, time_dimension},
    {"minute", 60, time_dimension},
    {"minutes", 60, time_dimension},
    {"h", 3600, time_dimension},
    {"hour", 3600, time_dimension},
    {"hours", 3600, time_dimension},
    {"d", day, time_dimension},
    {"day", day, time_dimension},
    {"days", day, time_dimension},
    {"week", 7 * day, time_dimension},
    {"weeks", 7 * day, time_dimension},
    {"month", 30.4375 * day, time_dimension},  // a twelfth of a Julian year
    {"months", 30.4375 * day, time_dimension},
    {"year", 365.25 * day, time_dimension},  // Julian year, IAU
    {"years", 365.25 * day, time_dimension},
    {"bits", 0.125, Bytes::dimension},
    {"byte", 1, Bytes::dimension},
    {"bytes", 1, Bytes::dimension},
    {"BTU", 1055.05585262, Energy::dimension},  // International Table, ISO 31-4:1992
    {"kBTU", 1055055.85262, Energy::dimension},
    {"thousand USD", 1e3, Money::dimension},
    {"million USD", 1e6, Money::dimension},
    {"billion USD", 1e9, Money::dimension},
    {"MT", 1e6, dimensionless},
    {"GT", 1e9, dimensionless},
    {"mg", 1e-6, Mass::dimension},
    {"g", 1e-3, Mass::dimension},
    {"kg", 1, Mass::dimension},
    {"t", 1e3, Mass::dimension},
    {"mm", 1e-3, Length::dimension},
    {"cm", 1e-2, Length::dimension},
    {"m", 1, Length::dimension},
    {"km", 1e3, Length::dimension},
};

template <std::size_t Units, std::size_t Prefixes>
void add_prefixed(std::vector<NamedUnit>& table, const BaseUnit (&units)[Units],
                  const Prefix (&prefixes)[Prefixes]) {
  for (const BaseUnit& unit : units) {
    for (const Prefix& prefix : prefixes) {
      table.push_back(
          {std::string{prefix.name} + std::string{unit.name}, prefix.factor * unit.factor, unit.dimension});
    }
  }
}

std::vector<NamedUnit> make_table() {
  std::vector<NamedUnit> table;
  for (const BaseUnit& unit : large_units) {
    table.push_back({std::string{unit.name}, unit.factor, unit.dimension});
  }
  for (const BaseUnit& unit : single_units) {
    table.push_back({std::string{unit.name}, unit.factor, unit.dimension});
  }
  add_prefixed(table, large_units, decimal_prefixes);
  add_prefixed(table, small_units, small_prefixes);
  constexpr BaseUnit binary_units[] = {{"B", 1, Bytes::dimension}, {"bit", 0.125, Bytes::dimension}};
  add_prefixed(table, binary_units, binary_prefixes);
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return table;
}

}  // namespace

std::span<const NamedUnit> named_units() {
  static const std::vector<NamedUnit> table = make_table();
  return table;
}

const NamedUnit* find_named_unit(std::string_view name) {
  const auto units = named_units();
  const auto found =
      std::lower_bound(units.begin(), units.end(), name,
                       [](const NamedUnit& unit, std::string_view n) { return unit.name < n; });
  return found != units.end() && found->name == name ? &*found : nullptr;
}

}  // namespace rackcast
