#include "topologies/graph/connectivity.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/connected_components.hpp>
#include <iterator>

namespace rackcast {
namespace {

using NodeGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

/// One edge per cable: every link has its opposite.
NodeGraph undirected(const Topology& topology) {
  NodeGraph graph(topology.devices().size());
  for (const Link& link : topology.links()) {
    if (link.from < link.to)
      boost::add_edge(static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to), graph);
  }
  return graph;
}

}  // namespace

bool is_connected(const Topology& topology) {
  std::vector<int> component(topology.devices().size());
  return topology.devices().empty() ||
         boost::connected_components(undirected(topology), component.data()) == 1;
}

std::vector<DeviceId> single_points_of_failure(const Topology& topology) {
  std::vector<std::size_t> points;
  boost::articulation_points(undirected(topology), std::back_inserter(points));
  std::vector<DeviceId> out;
  for (const std::size_t point : points) out.push_back(static_cast<DeviceId>(point));
  std::ranges::sort(out);
  return out;
}

}  // namespace rackcast
