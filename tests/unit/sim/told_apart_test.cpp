// A broken limit never looks kept because both numbers are rounded.
#include "sim/units/told_apart.hpp"

#include <doctest/doctest.h>

#include "sim/units/quantity_text.hpp"

using namespace rackcast;

namespace {

constexpr double kDay = 86400;

}  // namespace

TEST_CASE("a time past a deadline has the digits that tell it from the deadline") {
  const Duration deadline{14 * kDay};
  CHECK(told_apart(Duration{14.02 * kDay}, deadline) == "14.02 days");
  CHECK(told_apart(Duration{14.0004 * kDay}, deadline) == "14.0004 days");
  CHECK(told_apart(Duration{15.123 * kDay}, deadline) == to_text(Duration{15.123 * kDay}));
  CHECK(told_apart(deadline, deadline) == "14 days");
}

TEST_CASE("power, money and areas past a limit are told apart, too") {
  CHECK(told_apart(Power{250'400}, Power{250'000}) == "250.4 kW");
  CHECK(told_apart(Money{900'300}, Money{900'000}) == "900300 USD");
  CHECK(told_apart(Money{2'003'000}, Money{2'000'000}) == "2.003 million USD");
  CHECK(told_apart(Area{100.2}, Area{100}) == "100.2 m2");
}
