#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "sim/base/random.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/unit_table.hpp"

using namespace rackcast;

namespace {

/// A value of any size between 1e-6 and 1e21.
double any_size(RandomStream& random) {
  return std::pow(10.0, random.uniform(-6, 21));
}

template <class Q>
void check_round_trip(double base) {
  const std::string text = to_text(Q{base});
  CAPTURE(base);
  CAPTURE(text);
  // Three significant digits are off by at most half of the last: 0.5 %.
  CHECK(std::abs(parse_quantity<Q>(text).base() / base - 1) <= 0.00501);
}

}  // namespace

TEST_CASE("what is printed for people reads back as the same quantity within half a percent") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "sizes"};
    const double sign = random.below(2) == 0 ? 1 : -1;
    const double base = sign * any_size(random);
    check_round_trip<Duration>(base);
    check_round_trip<Frequency>(base);
    check_round_trip<Bytes>(base);
    check_round_trip<Bandwidth>(base);
    check_round_trip<Flop>(base);
    check_round_trip<FlopRate>(base);
    check_round_trip<Energy>(base);
    check_round_trip<Power>(base);
    check_round_trip<Money>(base);
    check_round_trip<MoneyRate>(base);
    check_round_trip<EnergyPrice>(base);
    check_round_trip<Mass>(base);
    check_round_trip<Length>(base);
    check_round_trip<Area>(base);
  }
}

TEST_CASE("any number with any unit, or a quotient of two, reads back exactly") {
  const auto units = named_units();
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "units"};
    const NamedUnit& above = units[random.below(units.size())];
    const NamedUnit& below = units[random.below(units.size())];
    const double number = any_size(random);
    const std::string space = random.below(2) == 0 ? "" : " ";
    // 17 significant digits name a double exactly.
    const std::string text = fmt::format("{:.17g}{}{}", number, space, above.name);
    const AnyQuantity one = parse_any_quantity(text);
    CHECK(one.base == number * above.factor);
    CHECK(one.dimension == above.dimension);
    const AnyQuantity ratio = parse_any_quantity(text + "/" + below.name);
    CHECK(ratio.base == number * (above.factor / below.factor));
    CHECK(ratio.dimension == above.dimension - below.dimension);
  }
}
