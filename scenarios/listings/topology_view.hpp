#pragma once
/// `rackcast topology`: what a machine looks like, as text, as documents of the form in listing.hpp and as
/// drawings.
#include <string>
#include <string_view>

#include "scenarios/listings/topology_target.hpp"

namespace rackcast {

/// The matrix of a node as nvidia-smi prints it. Of nodes with very many devices the first eight GPUs and
/// adapters.
std::string topology_matrix(const TopologyTarget& target, int width = 240);

/// Links with their rates and sources, and of a cluster its switches and cables; with `matrix` also that of
/// the node.
std::string show_topology(const Catalog& catalog, const TopologyTarget& target, bool matrix);

/// Bisection, oversubscription, diameter, single points of failure, unused ports, and a verdict in words.
std::string check_topology(const Catalog& catalog, const TopologyTarget& target);

/// A drawing or graph for a file with this ending: .svg, .dot, .graphml. `view` is "node", "fabric" or
/// "floor"; empty: the node of a node, the fabric of a cluster. Throws Error (usage) on other endings and
/// views.
std::string draw_topology(const Catalog& catalog, const TopologyTarget& target, std::string_view view,
                          std::string_view ending);

}  // namespace rackcast
