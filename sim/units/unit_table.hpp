#pragma once
#include <span>
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// One named unit: `factor` base units of `dimension`.
struct NamedUnit {
  std::string name;
  double factor = 1;
  Dimension dimension;
};

/// A unit without "/" or a power ("GiB", "kWh", "days"), or nullptr.
const NamedUnit* find_named_unit(std::string_view name);

/// Every named unit, sorted by name.
std::span<const NamedUnit> named_units();

}  // namespace rackcast
