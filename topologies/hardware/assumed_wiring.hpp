#pragma once
/// Assumptions about the wiring of a node whose file does not state it.
#include <optional>
#include <string>
#include <string_view>

#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

struct AssumedWiring {
  std::string text;      ///< which facts are missing and what stands for them
  double log_sigma = 0;  ///< of rates over the assumed links: from all GPUs on one link to a link for each
};

/// Without "pcie_tree" the GPUs of a CPU share one link to it and pass data through its memory, the slowest
/// wiring that there is: an unknown fact is no advantage. Nothing for a node that states its wiring, for a
/// template, and where all GPUs have NVLink to their CPU. `name` is the node's name in the catalogue, or a
/// file.
std::optional<AssumedWiring> assumed_wiring(const Catalog& catalog, std::string_view name,
                                            const NodeSpec& node);

}  // namespace rackcast
