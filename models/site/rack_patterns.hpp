#pragma once
/// The exact method of rack_packing.hpp; private to it.
#include <optional>
#include <vector>

#include "models/site/rack_packing.hpp"

namespace rackcast {

inline constexpr std::size_t most_patterns = 20'000;

/// All fillings of one rack that take no further device; nothing if there are more than most_patterns.
std::optional<std::vector<RackCounts>> maximal_patterns(const std::vector<RackItem>& items,
                                                        const RackSpec& rack);

struct ExactPacking {
  std::vector<RackCounts> racks;
  int lower_bound = 0;  ///< proven
};

/// The linear relaxation of the exact method, in which racks may be filled in part.
struct RelaxedPacking {
  int lower_bound = 0;            ///< the value of the relaxation, rounded up: no packing has fewer racks
  std::vector<RackCounts> whole;  ///< the relaxation's patterns, each as often as its amount rounded down
  RackCounts left;                ///< number of devices of each kind that are in no rack of `whole`
};

/// Nothing without CBC.
std::optional<RelaxedPacking> pack_relaxed(const std::vector<RackItem>& items,
                                           const std::vector<RackCounts>& patterns);

/// Nothing without CBC, or if CBC finds no packing within its limit of nodes (which, unlike one of time,
/// gives the same answer everywhere).
std::optional<ExactPacking> pack_exactly(const std::vector<RackItem>& items,
                                         const std::vector<RackCounts>& patterns);

}  // namespace rackcast
