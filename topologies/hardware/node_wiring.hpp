#pragma once
/// Reads and checks the wiring facts of a node; private to node_spec.
#include <optional>

#include "topologies/catalog/spec_reader.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// What a template leaves open ("template" of a node's file).
struct TemplateRule {
  int max_gpus = 0;
  int gpus_per_switch = 0;
  /// How all NVLinks of a GPU, or its bridge, are used: spread evenly over the other GPUs, or all to one
  /// partner.
  enum class Links { none, mesh, pairs } links = Links::none;
  bool host_of_gpu = false;  ///< slots and links between sockets are those of the GPU's years
};
std::optional<TemplateRule> template_rule(const CatalogEntry& entry);

/// Wires the GPUs of a template as its rule says. Throws Error for a GPU without such links.
void wire_directly(const Catalog& catalog, TemplateRule::Links links, NodeSpec& node);

/// Fills adjacency, NVSwitches, CPU NVLinks and the link of each kind. `node.gpu` and `node.gpus` are known.
void read_gpu_links(const Catalog& catalog, const SpecReader& reader, NodeSpec& node);

/// Fills sockets, PCIe branches and socket link. Without a "pcie_tree" the GPUs go behind switches of the
/// rule's `gpus_per_switch` (0: straight behind the CPUs), split evenly over the sockets. Without a rule
/// nobody knows, and all GPUs of a CPU share one link (assumed_wiring.hpp).
void read_host_links(const Catalog& catalog, const SpecReader& reader,
                     const std::optional<TemplateRule>& rule, NodeSpec& node);

}  // namespace rackcast
