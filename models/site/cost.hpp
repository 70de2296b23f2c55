#pragma once
/// Owning a cluster against renting one.
///
/// A year of owning: straight-line depreciation of what is bought, interest on half of it (the mean of what
/// is still bound), energy, space, support as a fraction of the purchase, staff. An hour of owning is a year
/// over the hours in it, whether the cluster works or not; a training run therefore costs its hours over the
/// utilisation. A rented instance costs its hours alone. The break-even utilisation u* is where both cost the
/// same:
///
///   owned per year (at u*) = u* x hours per year x rate x instances,
///
/// owned cost being linear in u: energy falls towards that of the idle cluster.
#include <optional>

#include "sim/units/quantity.hpp"

namespace rackcast {

inline constexpr Duration hours_of_year{365.25 * 86400};

struct OwnCost {
  Money capex{0};
  Duration depreciation{0};
  double interest = 0;  ///< per year
  MoneyRate energy_busy{0}, energy_idle{0};
  MoneyRate space{0}, support{0}, staff{0};

  [[nodiscard]] MoneyRate capital() const;  ///< depreciation and interest
  /// Cost of energy if the cluster is busy for this fraction of the time.
  [[nodiscard]] MoneyRate energy(double utilisation) const;
  [[nodiscard]] MoneyRate total(double utilisation) const;
  /// Cost of the whole cluster for `busy` of working time.
  [[nodiscard]] Money of_run(Duration busy, double utilisation) const;
  [[nodiscard]] Money over_life(double utilisation) const;
};

/// The utilisation from which on owning is cheaper than renting at this rate for the whole cluster; nothing
/// if renting is cheaper even for a cluster that never rests.
std::optional<double> break_even(const OwnCost& own, MoneyRate rent);

}  // namespace rackcast
