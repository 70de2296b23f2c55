#include "topologies/graph/graph_export.hpp"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>

namespace rackcast {
namespace {

struct Vertex {
  std::string name, kind;
  int node = no_id;
};
struct Edge {
  std::string kind, label;
  int width = 1;
  double bytes_per_s = 0, raw_bytes_per_s = 0, latency_s = 0;
};
using CableGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Vertex, Edge>;

CableGraph cables(const Topology& t) {
  CableGraph graph(t.devices().size());
  for (std::size_t id = 0; id < t.devices().size(); ++id) {
    const Device& device = t.devices()[id];
    graph[id] = {t.name(static_cast<DeviceId>(id)), std::string{to_string(device.kind)}, device.node};
  }
  for (LinkId id = 0; id < static_cast<LinkId>(t.links().size()); ++id) {
    const Link& link = t.link(id);
    if (link.from > link.to) continue;  // every link has its opposite
    const LinkClass& sort = t.class_of(id);
    boost::add_edge(
        static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to),
        Edge{std::string{to_string(sort.kind)}, fmt::format("{} x{}", to_string(sort.kind), link.width),
             link.width, t.bandwidth(id).base(), t.raw_bandwidth(id).base(), sort.latency.base()},
        graph);
  }
  return graph;
}

}  // namespace

std::string to_dot(const Topology& topology) {
  CableGraph graph = cables(topology);
  boost::dynamic_properties properties;
  properties.property("node_id", boost::get(&Vertex::name, graph));
  properties.property("kind", boost::get(&Vertex::kind, graph));
  properties.property("label", boost::get(&Edge::label, graph));
  properties.property("bytes_per_s", boost::get(&Edge::bytes_per_s, graph));
  std::ostringstream out;
  boost::write_graphviz_dp(out, graph, properties);
  return out.str();
}

std::string to_graphml(const Topology& topology) {
  CableGraph graph = cables(topology);
  boost::dynamic_properties properties;
  properties.property("name", boost::get(&Vertex::name, graph));
  properties.property("kind", boost::get(&Vertex::kind, graph));
  properties.property("node", boost::get(&Vertex::node, graph));
  properties.property("link_kind", boost::get(&Edge::kind, graph));
  properties.property("width", boost::get(&Edge::width, graph));
  properties.property("bytes_per_s", boost::get(&Edge::bytes_per_s, graph));
  properties.property("raw_bytes_per_s", boost::get(&Edge::raw_bytes_per_s, graph));
  properties.property("latency_s", boost::get(&Edge::latency_s, graph));
  std::ostringstream out;
  boost::write_graphml(out, graph, properties, true);
  return out.str();
}

}  // namespace rackcast
