#pragma once
/// Missing facts: devices that the sums of a site leave out because a price, a power or a height is not
/// known. A sum that leaves something out is a lower bound ("at least"). It cannot show that a limit is kept.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

/// Each a count and a product, "88 x AWS p5.48xlarge".
struct MissingFacts {
  std::vector<std::string> prices;  ///< left out of money
  std::vector<std::string> power;   ///< left out of power, energy, heat, CO2 and what they cost
  std::vector<std::string> units;   ///< left out of rack units, racks and floor area

  [[nodiscard]] bool none() const { return prices.empty() && power.empty() && units.empty(); }
  /// Of what is bought: racks are among it.
  [[nodiscard]] bool bill() const { return !prices.empty() || !units.empty(); }
};

/// "the price of 2 x A, 3 x B and 4 more": what one has to know before a limit can be decided.
std::string missing_text(std::string_view fact, const std::vector<std::string>& items);

/// All of them; `energy`: of a sum in which power counts, too.
std::string missing_text(const MissingFacts& missing, bool energy = true);

/// "at least " before a sum that leaves something out.
std::string_view at_least(bool leaves_out);

}  // namespace rackcast
