#pragma once
/// Quantities as text: "104 TB", "1.5 TB/h", "200 Gbit/s", "7 days", "35 kW", "0.12 USD/kWh".
///
/// Units: s, min, h, day(s), week(s), month(s) (30.4375 d), year(s) (365.25 d), ps, ns, us/µs, ms; B and bit
/// with decimal (kB, MB, GB, TB, PB, EB) and binary (KiB … EiB) prefixes ("Gb", "gb" and "KB" are refused as
/// ambiguous, with a hint); FLOP and OP (an integer operation, same dimension); J, Wh, BTU; W; USD, also
/// "million USD"; Hz, IOPS and GT (counts); g, kg, t; mm, cm, m, km. "/" divides, "*" multiplies ("W*h"), a
/// unit may carry a power ("m2"), "/s" and "1/s" are rates of counts. Rack units and counts are plain numbers
/// and not quantities. Spaces between number and unit are optional. Numbers are written as in JSON, whatever
/// the locale; "1,281,167" and "nan" are refused.
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// A parsed number with its dimension; the number is in base units.
struct AnyQuantity {
  double base = 0;
  Dimension dimension;
};

/// Throws Error (no place; the caller adds it) on a number or unit it cannot read. A number without a unit is
/// dimensionless.
AnyQuantity parse_any_quantity(std::string_view text);

/// The factor and dimension of a unit alone, e.g. "GB/s". Throws Error if unknown.
AnyQuantity parse_unit(std::string_view unit);

/// "a duration such as \"7 days\"": what a user should have written for this dimension.
std::string describe(Dimension dimension);

/// Throws Error unless `any` has the wanted dimension.
void require_dimension(std::string_view text, const AnyQuantity& any, Dimension wanted);

template <class Q>
Q parse_quantity(std::string_view text) {
  const AnyQuantity any = parse_any_quantity(text);
  require_dimension(text, any, Q::dimension);
  return Q{any.base};
}

/// For people: 3 significant digits and the unit that reads best ("9.1 years", "16.2 GB/s", "104 TB");
/// "unlimited" and "unknown" for what is not finite.
std::string to_text(Duration);
std::string to_text(Frequency);
std::string to_text(Bytes);
std::string to_text(Bandwidth);
std::string to_text(Flop);
std::string to_text(FlopRate);
std::string to_text(Energy);
std::string to_text(Power);
std::string to_text(Money);
std::string to_text(MoneyRate);
std::string to_text(EnergyPrice);
std::string to_text(Mass);
std::string to_text(Length);
std::string to_text(Area);

}  // namespace rackcast
