#pragma once
/// A machine's graph in formats of other programs. One edge per cable; names are escaped.
#include <string>

#include "topologies/graph/graph.hpp"

namespace rackcast {

/// Graphviz.
std::string to_dot(const Topology& topology);
/// GraphML with kind and node of devices; kind, width, achievable and raw bytes per second and seconds of
/// latency of cables.
std::string to_graphml(const Topology& topology);

}  // namespace rackcast
