#pragma once
/// Crews: groups of ranks that wait for each other in every step.
///
/// In synchronous training, and with bounded staleness in the long run, all ranks are one crew, which has the
/// pace of its slowest rank. Under asynchronous parameter servers there is no barrier (J. Dean et al., "Large
/// scale distributed deep networks", NIPS 2012, section 4.1): every node takes its own batches, pushes its
/// gradients and goes on with the weights that it gets. Nodes of the same pace do the same at the same time,
/// so the nodes of each pace are simulated as one crew. Crews share only links and servers:
///
///     samples per second = sum over crews of (samples of a step of the crew / its time of a step).
///
/// Assumed: nodes of one pace begin together and stay together. If they were spread over time, they would
/// wait less for each other at the servers.
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
