#pragma once
/// All-reduce programs with every chunk on a cluster of nodes behind leaf switches, for the benchmarks and
/// the tests of folding.
///
/// A node has GPUs on an NVSwitch (a port out and a port in each) and one network adapter per GPU. Adapters
/// hang on leaf switches; a leaf's uplinks are one resource up and one down, as with adaptive routing, and
/// the spines above do not block.
#include <cstdint>

#include "sim/program/flow_program.hpp"

namespace rackcast::bench {

struct ClusterShape {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 8;
  std::uint32_t nodes_per_leaf = 32;
  Bandwidth nvlink{300e9};      ///< per GPU and direction
  Bandwidth adapter{25e9};      ///< per GPU and direction
  double oversubscription = 1;  ///< of a leaf
  Duration nvlink_latency{1e-6}, leaf_latency{2e-6}, spine_latency{3e-6};

  [[nodiscard]] std::uint32_t gpus() const { return nodes * gpus_per_node; }
};

/// How rings are written down. Moving every node on by one leaf maps the cluster and the ring onto itself if
/// all leaves are full; then the nodes of one leaf, each standing for those at its place in all leaves, are
/// the whole program: a stable partition by construction.
enum class Describe { every_node, one_leaf };

/// 8 to 131,072 GPUs in nodes of 8.
ClusterShape cluster_of(std::uint32_t gpus);

/// One ring through all GPUs, node by node; a hop between nodes uses all adapters of both. 2(n-1) steps of
/// payload/n.
FlowProgram ring_all_reduce(const ClusterShape& cluster, Bytes payload,
                            Describe describe = Describe::every_node);

/// In each node a chain to its first GPU, a binary tree over the nodes as NCCL numbers it (ncclGetBtree,
/// NCCL src/graph/trees.cc), up and down in `chunks` pieces, and a chain back; everything pipelined.
FlowProgram tree_all_reduce(const ClusterShape& cluster, Bytes payload, std::uint32_t chunks);

/// Reduce-scatter in the node, one ring over the nodes per GPU position, all-gather in the node.
FlowProgram hierarchical_all_reduce(const ClusterShape& cluster, Bytes payload,
                                    Describe describe = Describe::every_node);

}  // namespace rackcast::bench
