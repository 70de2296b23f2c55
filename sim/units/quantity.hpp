#pragma once
/// Quantities: a double in base units tagged with the exponents of its dimensions, so that a wrong unit
/// does not compile. Base units: second, byte, FLOP, joule, USD, kilogram, metre.
///
///   Bytes{1e9} / Bandwidth{2e9}  is a Duration of 0.5 s;   Bytes{1} + Duration{1}  does not compile.
///
/// Counts (samples, GPUs, cores) are plain numbers; a rate of counts is a Frequency (1/s).
/// GB is 1e9 bytes and GiB 2^30 bytes: both are Bytes, only the printed name differs (quantity_text.hpp).
#include <compare>

namespace rackcast {

/// Exponents of the base dimensions. An operation count per second is {.time = -1, .flop = 1}.
struct Dimension {
  int time = 0, data = 0, flop = 0, energy = 0, money = 0, mass = 0, length = 0;

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
  friend constexpr Dimension operator+(Dimension a, Dimension b) {
    return {a.time + b.time,   a.data + b.data, a.flop + b.flop,    a.energy + b.energy,
            a.money + b.money, a.mass + b.mass, a.length + b.length};
  }
  friend constexpr Dimension operator-(Dimension a, Dimension b) {
    return {a.time - b.time,   a.data - b.data, a.flop - b.flop,    a.energy - b.energy,
            a.money - b.money, a.mass - b.mass, a.length - b.length};
  }
};

inline constexpr Dimension dimensionless{};

template <Dimension D>
class Quantity {
 public:
  static constexpr Dimension dimension = D;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double base_units) : value_(base_units) {}

  /// The number in base units (s, B, FLOP, J, USD, kg, m). Leave the typed world only at its edge.
  [[nodiscard]] constexpr double base() const { return value_; }

  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double k) {
    value_ *= k;
    return *this;
  }
  constexpr Quantity& operator/=(double k) {
    value_ /= k;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.value_}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return a *= k; }
  friend constexpr Quantity operator*(double k, Quantity a) { return a *= k; }
  friend constexpr Quantity operator/(Quantity a, double k) { return a /= k; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0;
};

/// Products and quotients; a dimensionless outcome is a plain double.
template <Dimension D>
constexpr auto make_quantity(double base_units) {
  if constexpr (D == dimensionless) {
    return base_units;
  } else {
    return Quantity<D>{base_units};
  }
}
template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  return make_quantity<A + B>(a.base() * b.base());
}
template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  return make_quantity<A - B>(a.base() / b.base());
}
template <Dimension A>
constexpr auto operator/(double k, Quantity<A> a) {
  return make_quantity<dimensionless - A>(k / a.base());
}

using Duration = Quantity<Dimension{.time = 1}>;
using Frequency = Quantity<Dimension{.time = -1}>;
using Bytes = Quantity<Dimension{.data = 1}>;
using Bandwidth = Quantity<Dimension{.time = -1, .data = 1}>;
using Flop = Quantity<Dimension{.flop = 1}>;
using FlopRate = Quantity<Dimension{.time = -1, .flop = 1}>;
using Energy = Quantity<Dimension{.energy = 1}>;
using Power = Quantity<Dimension{.time = -1, .energy = 1}>;
using Money = Quantity<Dimension{.money = 1}>;
using MoneyRate = Quantity<Dimension{.time = -1, .money = 1}>;
using EnergyPrice = Quantity<Dimension{.energy = -1, .money = 1}>;
using Mass = Quantity<Dimension{.mass = 1}>;
using Length = Quantity<Dimension{.length = 1}>;
using Area = Quantity<Dimension{.length = 2}>;

}  // namespace rackcast
