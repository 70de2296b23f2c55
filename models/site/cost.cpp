#include "models/site/cost.hpp"

namespace rackcast {

MoneyRate OwnCost::capital() const {
  return capex / depreciation + (interest / 2) * capex / hours_of_year;
}

MoneyRate OwnCost::energy(double utilisation) const {
  return utilisation * energy_busy + (1 - utilisation) * energy_idle;
}

MoneyRate OwnCost::total(double utilisation) const {
  return capital() + energy(utilisation) + space + support + staff;
}

Money OwnCost::of_run(Duration busy, double utilisation) const {
  return total(utilisation) * busy / utilisation;
}

Money OwnCost::over_life(double utilisation) const {
  return total(utilisation) * depreciation;
}

std::optional<double> break_even(const OwnCost& own, MoneyRate rent) {
  const MoneyRate fixed = own.total(0), slope = own.energy_busy - own.energy_idle;
  if (rent <= slope) return std::nullopt;
  const double u = fixed / (rent - slope);
  return u <= 1 ? std::optional(u) : std::nullopt;
}

}  // namespace rackcast
