#pragma once
/// The limits of a search, each as "use": what a candidate needs over what it may have. A limit is kept while
/// its use is at most its factor: 1 as the scenario has it, 1.1 relaxed by a tenth, infinite dropped.
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

enum class Limit : std::uint8_t {
  configuration,  ///< a network or kernel that cannot be built so
  gpu_memory,
  useful_batch,
  storage_capacity,
  deadline,
  availability,  ///< by the share of the time in which training stands still
  max_nodes,
  rack,  ///< a device that fits no rack, by its power, units, depth or weight
  max_racks,
  rack_units,
  floor_area,
  site_power,
  budget,
  opex_budget,
  total_budget,
  price,         ///< the objective is a cost and the nodes have no price
  power_rating,  ///< the objective is energy and the power of a device is not known
};
inline constexpr std::size_t limit_count = 17;
inline constexpr std::array<std::string_view, limit_count> limit_names{
    "configuration", "gpu_memory",  "useful_batch", "storage_capacity", "deadline",
    "availability",  "max_nodes",   "rack",         "max_racks",        "rack_units",
    "floor_area",    "site_power",  "budget",       "opex_budget",      "total_budget",
    "price",         "power_rating"};
std::string_view to_string(Limit limit);

using LimitMask = std::uint32_t;
constexpr LimitMask bit(Limit limit) {
  return LimitMask{1} << static_cast<unsigned>(limit);
}

/// A value for each limit: uses (0 where there is no such limit), or factors.
class PerLimit {
 public:
  explicit PerLimit(double each) { values_.fill(each); }
  double& operator[](Limit l) { return values_[static_cast<std::size_t>(l)]; }
  double operator[](Limit l) const { return values_[static_cast<std::size_t>(l)]; }

 private:
  std::array<double, limit_count> values_{};
};

inline constexpr double dropped = std::numeric_limits<double>::infinity();

/// The limits whose use is above their factor. A rounding error of 1e-9 is none.
LimitMask broken(const PerLimit& uses, const PerLimit& factors);
std::vector<Limit> limits_of(LimitMask mask);

/// Masks that contain no other one of the list, each once, ascending.
std::vector<LimitMask> minimal_masks(std::vector<LimitMask> masks);

/// The smallest set of limits that no candidate keeps together: every mask shares a member with it, and no
/// smaller set does that, so each of its members is needed (a minimum hitting set, by enumeration). `masks`
/// are what the candidates break. Of several such sets the first in the order of Limit; 0 if a candidate
/// breaks nothing, or if there are no candidates.
LimitMask smallest_conflict(const std::vector<LimitMask>& masks);

}  // namespace rackcast
