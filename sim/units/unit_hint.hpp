#pragma once
/// Parsing with hints about the dimension that is wanted.
#include <optional>
#include <string_view>

#include "sim/units/quantity_text.hpp"

namespace rackcast {

/// parse_any_quantity(), where the hint on an unknown unit is about the wanted dimension. A quantity of
/// another one is returned all the same.
AnyQuantity parse_any_quantity(std::string_view text, Dimension wanted);

/// parse_unit(), likewise; without a dimension the hint may name any unit.
AnyQuantity parse_unit(std::string_view unit, const std::optional<Dimension>& wanted);

}  // namespace rackcast
