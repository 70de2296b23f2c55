#pragma once
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// "a duration", "a bandwidth"; for a dimension without a name its exponents, "a quantity in USD m^-2".
std::string dimension_name(Dimension dimension);

/// A unit that a user would write for the dimension ("GB/s"); empty if it has no name.
std::string_view usual_unit(Dimension dimension);

/// Throws Error (no place; the caller adds it) for a positive amount in base units that is far outside of
/// what exists of its dimension, such as a bandwidth below 1 B/s. `text` is the amount as it was written.
/// Zero, negative amounts and dimensions without a name are left to the caller.
void require_plausible(std::string_view text, double base, Dimension dimension);

}  // namespace rackcast
