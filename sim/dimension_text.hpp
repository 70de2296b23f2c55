#pragma once
#include <string>
#include <string_view>

#include "sim/quantity.hpp"

namespace rackcast {

/// "a duration", "a bandwidth"; for a dimension without a name its exponents, "a quantity in USD m^-2".
std::string dimension_name(Dimension dimension);

/// A unit that a user would write for the dimension ("GB/s"); empty if it has no name.
std::string_view usual_unit(Dimension dimension);

}  // namespace rackcast
