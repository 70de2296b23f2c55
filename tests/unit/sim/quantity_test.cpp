/// Code with a wrong unit must not compile; the compiler itself is the test here.
#include "sim/units/quantity.hpp"

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using namespace rackcast;

template <class A, class B>
concept addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept subtractable = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept assignable = requires(A a, B b) {
  a = b;
};
template <class A, class B>
concept growable = requires(A a, B b) {
  a += b;
};

static_assert(std::is_same_v<decltype(Bytes{} / Bandwidth{}), Duration>);
static_assert(std::is_same_v<decltype(Bandwidth{} * Duration{}), Bytes>);
static_assert(std::is_same_v<decltype(Flop{} / FlopRate{}), Duration>);
static_assert(std::is_same_v<decltype(Power{} * Duration{}), Energy>);
static_assert(std::is_same_v<decltype(Energy{} * EnergyPrice{}), Money>);
static_assert(std::is_same_v<decltype(MoneyRate{} * Duration{}), Money>);
static_assert(std::is_same_v<decltype(Length{} * Length{}), Area>);
static_assert(std::is_same_v<decltype(1.0 / Duration{}), Frequency>);
static_assert(std::is_same_v<decltype(Bytes{} / Bytes{}), double>);
static_assert(std::is_same_v<decltype(Duration{} * Frequency{}), double>);

static_assert(addable<Bytes, Bytes> && !addable<Bytes, Duration> && !addable<Bytes, double>);
static_assert(!addable<double, Bytes> && !subtractable<Power, Energy> && !subtractable<Money, double>);
static_assert(comparable<Money, Money> && !comparable<Money, MoneyRate> && !comparable<Bytes, double>);
static_assert(!comparable<Flop, Bytes> && !comparable<Duration, int>);
static_assert(assignable<Bytes&, Bytes> && !assignable<Bytes&, double> && !assignable<Bytes&, Bandwidth>);
static_assert(!assignable<double&, Bytes> && !growable<Duration&, double> && !growable<Duration&, Bytes>);
static_assert(!std::is_convertible_v<double, Bytes> && !std::is_convertible_v<Bytes, double>);
static_assert(!std::is_convertible_v<Bytes, bool> && std::is_trivially_copyable_v<Bytes>);
static_assert(sizeof(Bytes) == sizeof(double));

TEST_CASE("quantities compute like their base units") {
  CHECK((Bytes{1e9} / Bandwidth{2e9}).base() == 0.5);
  CHECK((2 * Duration{3} - Duration{1}).base() == 5);
  CHECK(Duration{1} < Duration{2});
  CHECK(Bytes{3e9} / Bytes{2e9} == 1.5);
}

}  // namespace
