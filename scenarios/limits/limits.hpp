#pragma once
/// The limits of training and of serving, one list for both. A plan's "use" of a limit is what it needs over
/// what it may have. A limit is kept while its use is at most its factor: 1 as the scenario has it, 1.1
/// relaxed by a tenth, infinite dropped.
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document/form/reason.hpp"

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
  precision,     ///< the GPU does not support it
  latency,
  first_token,
  token_time,
  host_decoding,
  network_ports,
};

/// What more nodes do to the use of a limit.
enum class MoreNodes : std::uint8_t { neither, help, harm };

struct LimitKind {
  std::string_view name;   ///< in documents
  std::string_view title;  ///< for people
  MoreNodes more_nodes;
};
inline constexpr std::size_t limit_count = 23;
/// In the order of Limit.
inline constexpr std::array<LimitKind, limit_count> limit_kinds{{
    {"configuration", "what can be built", MoreNodes::neither},
    {"gpu_memory", "GPU memory", MoreNodes::help},
    {"useful_batch", "useful batch", MoreNodes::harm},
    {"storage_capacity", "capacity of the storage", MoreNodes::neither},
    {"deadline", "deadline", MoreNodes::help},
    {"availability", "availability", MoreNodes::harm},
    {"max_nodes", "most nodes", MoreNodes::harm},
    {"rack", "what fits a rack", MoreNodes::neither},
    {"max_racks", "racks", MoreNodes::harm},
    {"rack_units", "rack units", MoreNodes::harm},
    {"floor_area", "floor area", MoreNodes::harm},
    {"site_power", "feed of the site", MoreNodes::harm},
    {"budget", "budget to buy", MoreNodes::harm},
    {"opex_budget", "budget to run", MoreNodes::harm},
    {"total_budget", "budget in all", MoreNodes::harm},
    {"price", "a price of the node", MoreNodes::neither},
    {"power_rating", "a power rating of every device", MoreNodes::neither},
    {"precision", "precision", MoreNodes::neither},
    {"latency", "latency", MoreNodes::help},
    {"time to the first token", "time to the first token", MoreNodes::help},
    {"time per output token", "time per output token", MoreNodes::help},
    {"decoding on the host's cores", "decoding on the host's cores", MoreNodes::help},
    {"network ports", "network ports", MoreNodes::help},
}};
constexpr const LimitKind& kind_of(Limit limit) {
  return limit_kinds[static_cast<std::size_t>(limit)];
}
constexpr std::string_view to_string(Limit limit) {
  return kind_of(limit).name;
}

/// The limit of that name in documents; there must be one.
constexpr Limit limit_named(std::string_view name) {
  std::size_t place = 0;
  while (limit_kinds[place].name != name) ++place;
  return static_cast<Limit>(place);
}

/// A limit that a plan is held against. Texts have units.
struct LimitValue {
  Limit limit = Limit::configuration;
  double use = 0;
  std::string allowed, needed;
  std::string missing;             ///< what the use leaves out; empty: nothing
  std::optional<doc::Reason> why;  ///< of a plan that breaks it

  [[nodiscard]] bool above() const { return use > 1 + 1e-9; }
  /// A use above 1 breaks the limit, even one that leaves something out; one below then decides nothing.
  [[nodiscard]] bool undecided() const { return !above() && !missing.empty(); }
};

/// A limit that is not kept. Texts with units: `required` is what is allowed or asked, `best` the nearest to
/// it that can be had.
struct Conflict {
  Limit limit = Limit::configuration;
  std::string required, best;
  std::optional<doc::Reason> why;  ///< nothing: the numbers say it all
};

/// Those of the limits that are broken or cannot be decided.
std::vector<Conflict> conflicts_of(const std::vector<LimitValue>& limits);
/// "deadline: 14 days asked, 16 days reached" for messages.
std::string brief_text(const Conflict& conflict);

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
LimitMask mask_of(const std::vector<Conflict>& conflicts);

/// Masks that contain no other one of the list, each once, ascending.
std::vector<LimitMask> minimal_masks(std::vector<LimitMask> masks);

/// The smallest set of limits that no candidate keeps together: every mask shares a member with it, and no
/// smaller set does that, so each of its members is needed (a minimum hitting set, by enumeration). `masks`
/// are what the candidates break. Of several such sets the first in the order of Limit; 0 if a candidate
/// breaks nothing, or if there are no candidates.
LimitMask smallest_conflict(const std::vector<LimitMask>& masks);

}  // namespace rackcast
