#pragma once
/// Drawings of machines as SVG documents: pure functions to a text.
#include <string>
#include <string_view>

#include "topologies/drawings/picture.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast {

/// One node: CPUs on top, the PCIe tree with adapters below, GPUs, NVLinks as wide as they are many (GPUs of
/// a hybrid cube mesh stand in two squares; NVSwitches in a row below; from 32 GPUs on, groups per CPU on a
/// bar of NVSwitches).
std::string draw_node(const Topology& topology, std::string_view title);
Picture picture_of_node(const Topology& topology, std::string_view title);

/// The switches of a network level by level with the nodes below. Of a small network every node and every
/// cable is a line of its own; else many switches of a level are drawn as one box per group with their
/// number, and their cables as one bundle with its count.
std::string draw_fabric(const FabricPlan& plan, std::string_view title);
/// Without title and words where `title` is empty.
Picture picture_of_fabric(const FabricPlan& plan, std::string_view title);
/// "two level: 8 nodes with 8 infiniband_4x/hdr ports, 4 leaves (...), ...".
std::string words_of_fabric(const FabricPlan& plan);

/// What a floor plan needs to know.
struct FloorPlan {
  int nodes = 0, nodes_per_rack = 1;
  double node_units = 1, rack_units = 42;
  int network_racks = 0;  ///< for switches above the leaves
  std::string node_name;
};
/// Rows of racks seen from the front, leaf switches on top of each.
std::string draw_floor(const FloorPlan& floor, std::string_view title);

}  // namespace rackcast
