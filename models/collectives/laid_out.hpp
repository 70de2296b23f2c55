#pragma once
/// What has been laid out on a cluster. Routes through a fabric of thousands of links cost far more than the
/// step that uses them, so they are looked up once however often a step is simulated.
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "models/collectives/collective.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {

/// Bytes over a link for each stored and each decoded byte of a sample, on average over the ranks.
struct InputLoad {
  double stored = 0, decoded = 0;
};

/// Bytes over a link for each byte of state that the first GPU saves.
struct SaveLoad {
  double copy = 0;   ///< on its way to the host
  double write = 0;  ///< from there to the storage servers
};

/// Belongs to one cluster with its ranks (Cluster::laid_out). Not for several threads at once.
struct LaidOut {
  std::map<std::tuple<Collective, std::string, Endpoints>, CollectivePlan> plans;  ///< not priced
  std::optional<std::map<LinkId, InputLoad>> input;
  std::optional<std::map<LinkId, SaveLoad>> save;
};

}  // namespace rackcast
