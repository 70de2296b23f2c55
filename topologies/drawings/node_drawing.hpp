#pragma once
/// What the drawings of nodes share; private to them.
#include <string_view>

#include "topologies/drawings/svg.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast::drawing {

std::string_view style_of(DeviceKind kind);
std::string_view label_of(DeviceKind kind);  ///< to go before a number

/// Draws a node with very many GPUs: one box per CPU with the devices below it, on both sides of a bar of
/// NVSwitches.
void draw_groups(Svg& svg, const Topology& topology);

}  // namespace rackcast::drawing
