#pragma once
/// Cache of the patterns of traffic that have been computed for a cluster, in bytes over each link. Routing
/// through a fabric of thousands of links takes far longer than simulating the step that uses the routes, so
/// each pattern is computed once.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/collectives/collective.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {

/// Bytes over links for each stored and each decoded byte of a sample, on average over the ranks.
struct InputLoads {
  std::shared_ptr<const LinkPattern> stored, decoded;
};

/// Bytes over links for each byte of state that the first GPU saves, or of what all GPUs save a part of.
struct SaveLoads {
  std::shared_ptr<const LinkPattern> copy;   ///< on its way to the host
  std::shared_ptr<const LinkPattern> write;  ///< from there to the storage servers
};

/// Traffic to or from parameter servers in one part of the way of an array, and the work of the servers in it
/// (models/step/server_plan.cpp). It does not depend on rates, sizes of arrays and time.
struct ServerLoads {
  std::shared_ptr<const LinkPattern> links;
  std::vector<std::pair<int, double>> takes;
};
/// Key of such traffic: where the servers are and what is added up on the way (count; apart, on_gpus,
/// sums_in_node, whole_arrays, sums_on_gpu of ServerSpec), the part of the way, the server or its turn, and
/// the nodes that send (none named: all).
using ServerWay = std::tuple<int, std::array<bool, 5>, int, int, std::vector<int>>;

/// Belongs to one cluster with its ranks (Cluster::laid_out). Not for several threads at once.
struct LaidOut {
  /// Plans without times, by operation, algorithm, endpoints, and whether GPUs relay.
  std::map<std::tuple<Collective, std::string, Endpoints, bool>, CollectivePlan> plans;
  std::map<ServerWay, ServerLoads> servers;
  std::optional<InputLoads> input;
  std::optional<SaveLoads> save, divided_save;
};

}  // namespace rackcast
