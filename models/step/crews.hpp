#pragma once
/// Workers that wait for each other.
///
/// In synchronous training, and with bounded staleness in the long run, all ranks are one crew: everybody
/// goes at the pace of the slowest. Under asynchronous parameter servers nobody meets at a barrier (J. Dean
/// et al., "Large scale distributed deep networks", NIPS 2012, section 4.1): every node takes its own
/// batches, pushes its gradients and goes on with the weights that it gets. Nodes of the same pace do the
/// same at the same time, so they are simulated as one crew each; crews meet on links and servers alone, and
///
///     samples per second = sum over crews of (samples of a step of the crew / its time of a step).
///
/// Assumed: workers of one pace began together and stay together. Spread over time they would get into each
/// other's way less at the servers.
#include <vector>

#include "models/step/straggler.hpp"
#include "models/step/training.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast {

struct Crew {
  NodePace pace;                ///< of the slowest of its nodes; of all of them where crews are several
  std::vector<DeviceId> ranks;  ///< node by node
  std::vector<int> nodes = {};  ///< of which they are, where crews are several; empty: all
};

/// The crew of the first GPU comes first.
std::vector<Crew> crews_of(const Cluster& cluster, const TrainingSpec& spec);

}  // namespace rackcast
