#pragma once
/// Cycles and paths through all vertices of a small multigraph that do not use an edge more often than it
/// exists; private to rings.
#include <vector>

namespace rackcast {

/// capacity[i][j]: parallel edges from i to j.
using Capacity = std::vector<std::vector<int>>;
using Order = std::vector<int>;

/// All Hamiltonian cycles of the undirected multigraph (at least 3 vertices), each once, as orders from
/// vertex 0; at most `limit`.
std::vector<Order> hamiltonian_cycles(const Capacity& capacity, std::size_t limit);

/// All Hamiltonian paths from `first` to `last` along edges in their direction; at most `limit`.
std::vector<Order> hamiltonian_paths(const Capacity& capacity, int first, int last, std::size_t limit);

/// As many cycles as fit together, but not more than `most`: a cycle may be chosen again where edges are
/// parallel. Gives up a number of cycles after a fixed count of trials, so the outcome does not depend on the
/// machine.
std::vector<Order> edge_disjoint_cycles(const Capacity& capacity, int most);

/// One path of each list such that together they fit; empty if there are none or the trials are used up.
std::vector<Order> edge_disjoint_paths(const Capacity& capacity,
                                       const std::vector<std::vector<Order>>& candidates);

}  // namespace rackcast
