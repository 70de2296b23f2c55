#pragma once
/// The largest machine parts that the graph takes. They are far above anything sold, and low enough that
/// products of them fit into the integers of graph.hpp, which numbers the devices of a kind with 16 bits.
/// Whoever reads a document checks them there, so that a mistake is found at its line.
namespace rackcast::limits {

inline constexpr int most_of_a_kind = 65'535;  ///< devices of a kind in a node, switches of a level
inline constexpr int sockets = 1024;           ///< all pairs of them are joined
inline constexpr int nvswitches = 1024;        ///< each is joined to the GPUs of its board
inline constexpr int boards = 1024;            ///< of a node
inline constexpr int gpus_of_board = 16;
inline constexpr int links_of_gpu = 1024;
inline constexpr int nics = 1024;           ///< of a node
inline constexpr int pcie_branches = 4096;  ///< entries of a node's pcie_tree
inline constexpr int ports = 16'384;        ///< of a switch
inline constexpr int nodes = 1'000'000;     ///< of a cluster
inline constexpr int node_ports = 1 << 26;  ///< of all nodes of a cluster
inline constexpr int devices = 1 << 30;     ///< of a cluster, and as many links

}  // namespace rackcast::limits
