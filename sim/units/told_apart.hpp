#pragma once
/// The text of a quantity that exceeds a limit, with enough digits to tell the two apart. 14.02 days against
/// 14 days is "14.02 days", where to_text() says "14 days".
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// to_text(q) where it differs from to_text(limit), or where both are equal to 1e-9; else with up to nine
/// significant digits.
std::string told_apart(Duration q, Duration limit);
std::string told_apart(Power q, Power limit);
std::string told_apart(Money q, Money limit);
std::string told_apart(Area q, Area limit);

}  // namespace rackcast
