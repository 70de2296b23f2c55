#pragma once
/// What a pattern of link loads says, written out.
#include <vector>

#include "topologies/graph/graph.hpp"
#include "topologies/routing/link_loads.hpp"

namespace rackcast {

/// Every link, ascending.
inline std::vector<LinkLoad> unfolded(const LinkPattern& pattern, const Topology& topology) {
  std::vector<LinkLoad> out;
  for (std::size_t node = 0; node < pattern.class_of_node.size(); ++node) {
    if (pattern.class_of_node[node] < 0) continue;
    const LinkPattern::NodeClass& own =
        pattern.classes[static_cast<std::size_t>(pattern.class_of_node[node])];
    const LinkId shift =
        topology.node(static_cast<int>(node)).first_link - topology.node(own.first_node).first_link;
    for (const LinkLoad& load : own.loads) out.push_back({load.link + shift, load.bytes});
  }
  out.insert(out.end(), pattern.fabric.begin(), pattern.fabric.end());
  return out;
}

}  // namespace rackcast
