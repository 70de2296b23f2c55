#include "scenarios/document/form/field.hpp"

#include <utility>

namespace rackcast::doc {

std::string_view unit_of(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> units[] = {
      {"bytes_per_s", "B/s"},
      {"flop_per_s", "FLOP/s"},
      {"per_s", "1/s"},
      {"per_s_per_gpu", "1/s"},
      {"usd_per_hour", "USD/h"},
      {"usd_per_kwh", "USD/kWh"},
      {"usd_per_year", "USD/year"},
      {"btu_per_h", "BTU/h"},
      {"g_co2_per_kwh", "g/kWh"},
      {"per_million", "per million"},
      {"_s", "s"},
      {"seconds", "s"},
      {"_w", "W"},
      {"_kw", "kW"},
      {"_usd", "USD"},
      {"_bytes", "B"},
      {"_kwh", "kWh"},
      {"_j", "J"},
      {"_kg", "kg"},
      {"_m", "m"},
      {"_m2", "m2"},
      {"_day", "days"},
      {"_days", "days"},
      {"_years", "years"},
      {"_kelvin", "K"},
      {"_litres", "l"},
      {"_tons", "tons of refrigeration"},
      {"_cfm", "ft3/min"},
  };
  for (const auto& [ending, unit] : units) {
    if (key.ends_with(ending)) return unit;
  }
  return "1";
}

std::string_view unit_of(const Rule& rule) {
  return rule.given_unit ? *rule.given_unit : unit_of(rule.key);
}

}  // namespace rackcast::doc
