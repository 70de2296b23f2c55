#pragma once
/// Limits that no sum is held against: they act through what fits a rack, through how fast the storage is or
/// how far the GPUs may go. What a tenth more of one is worth, the scenario with a tenth more of it says.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/format/scenario.hpp"
#include "scenarios/limits/limits.hpp"

namespace rackcast {

class Catalog;
struct SitePlan;

struct ChangedLimit {
  std::string limit;         ///< "rack_power": a key like those of limits.hpp
  std::string now, relaxed;  ///< for people
  Scenario scenario;         ///< with a tenth more of it
};

/// Of one rack, as the plan of the site has it: its power, and of units, load, depth, outlets and ports those
/// that the scenario states. Nothing without a site.
std::vector<ChangedLimit> rack_limits(const Scenario& scenario, const SitePlan& plan);

/// The power cap of a GPU; nothing where the scenario states none.
std::optional<ChangedLimit> gpu_cap_limit(const Scenario& scenario);

/// Reads, writes and operations of the storage, all of them, with `chosen` for the text; nothing without
/// storage. Throws Error for an unknown array.
std::optional<ChangedLimit> storage_rate_limit(const StorageSpec& chosen, const Scenario& scenario,
                                               const Catalog& catalog);

/// The scenario with a tenth more of a limit that the site states as a sum (racks, rack units, floor, power,
/// money); nothing where it does not state it.
std::optional<Scenario> with_more(const Scenario& scenario, Limit limit);

}  // namespace rackcast
