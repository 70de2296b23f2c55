#pragma once
/// Packs devices into as few racks as power, rack units, weight, depth, outlets and ports allow.
///
/// All racks are alike and devices come in kinds of equal ones, so a packing is a list of counts per kind. A
/// device that comes in a rack of its own shares none: its racks stand before the packed ones.
/// Two heuristics come first: every kind spread evenly over the racks (what people build, rack for rack the
/// same), and first-fit decreasing. A heuristic that meets the lower bound is optimal. If none does, the
/// exact method solves
///
///   minimise  sum_p n_p,   sum_p a_kp n_p >= count_k,   n_p whole,
///
/// over all fillings p of one rack that cannot take one more device (Gilmore & Gomory, Operations Research 9,
/// 1961) with CBC. This form is fast because it does not distinguish equal racks. Its relaxation, n_p not
/// whole, is solved first: the value rounded up is a bound, its racks made whole one by one are a packing,
/// and where the two meet nothing is searched. Without CBC in the build, or past `most_patterns`, the best
/// heuristic stands with its distance to the bound.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

enum class RackItemKind { node, storage, other, network };
std::string_view to_string(RackItemKind);  ///< "server", "storage", "equipment", "switch"

/// Devices of one kind. Unknown values count as 0, and `unknown` names them.
struct RackItem {
  std::string id, name;
  RackItemKind kind = RackItemKind::node;
  int count = 0;
  int units = 1;   ///< whole ones of 44.45 mm, at least 1
  Power power{0};  ///< on the basis that the rack's limit is meant
  Mass weight{0};
  Length depth{0};
  int outlets = 0;  ///< of the rack's power distribution: one per power supply
  int ports = 0;    ///< network cables that end at it
  std::string unknown = {};
  /// Set for a device that comes in a rack of its own: the power that this rack may draw; 0: not limited. The
  /// limits of the site's racks do not apply to it.
  std::optional<Power> own_rack = {};
};

/// One rack. A limit of 0 is none, but for the units.
struct RackSpec {
  std::string id, name;
  int units = 42;
  int reserved_units = 0;  ///< for patching and blanking
  Power power{0};
  Mass load{0};
  Length depth{0};
  int outlets = 0, ports = 0;

  [[nodiscard]] int usable_units() const { return units - reserved_units; }
};

enum class PackMethod { automatic, exact, first_fit };
PackMethod parse_pack_method(std::string_view name);  ///< Error with the known ones

using RackCounts = std::vector<int>;  ///< devices of each kind in one rack

struct Packing {
  std::vector<RackCounts> racks;
  int lower_bound = 0;  ///< no packing has fewer racks
  std::string method;   ///< "even spread", "first-fit decreasing", "exact (CBC)", "racks of their own"

  [[nodiscard]] bool optimal() const { return static_cast<int>(racks.size()) == lower_bound; }
};

/// Why one device of the kind fits no such rack, or nothing.
std::optional<std::string> misfit(const RackItem& item, const RackSpec& rack);

/// Do these counts fit one rack?
bool fits(const std::vector<RackItem>& items, const RackCounts& counts, const RackSpec& rack);

/// A lower bound on the number of racks: the largest over all limits of (sum over the devices / capacity of a
/// rack), and the number of devices of which no two fit into one rack.
int rack_lower_bound(const std::vector<RackItem>& items, const RackSpec& rack);

/// Throws Error (infeasible) if a device fits no rack, and where `exact` is asked of a build without CBC or
/// of more patterns than can be listed.
Packing pack_racks(const std::vector<RackItem>& items, const RackSpec& rack,
                   PackMethod method = PackMethod::automatic);

/// Was CBC found when this program was built?
bool exact_packing_available();

/// Sums over the devices of one rack.
Power rack_power(const std::vector<RackItem>& items, const RackCounts& counts);
Mass rack_weight(const std::vector<RackItem>& items, const RackCounts& counts);
int rack_units(const std::vector<RackItem>& items, const RackCounts& counts);

}  // namespace rackcast
