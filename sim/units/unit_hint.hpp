#pragma once
/// Parsing of a quantity whose dimension is known in advance, so that the hint on an unknown unit is about
/// it. Example: "3 foo" where a time is wanted has the hint "write a duration such as "7 days"".
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
