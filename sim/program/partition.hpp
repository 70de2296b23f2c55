#pragma once
/// Colour refinement: the coarsest stable partition of a directed graph of influences.
///
/// The graph. Vertices are whatever has a state: a process, a shared resource. An edge u -> v of type t and
/// weight w > 0 says that u influences v in the way t, w times: a process loads a resource, a resource bounds
/// the rate of a process, a process signals another one. Vertices start with colours: everything that they
/// are by themselves (capacity, script, work, latency, present state).
///
/// A partition into cells is *stable* if any two vertices v, v' of a cell have the same colour, and for each
/// cell C and type t the same total weight of edges from C:
///
///     sum { w(u, v) : u in C, type t }  =  sum { w(u, v') : u in C, type t }.
///
/// There is a coarsest one, and refine() finds it.
///
/// Theorem (folding). Let processes run scripts of sleeps, signals, waits and flows, where resource r has
/// the capacity C_r and a flow of process i loads r with a_ir times its rate, and rates are weighted max-min
/// fair (max_min.hpp). A flow may also hold resources, each of which lacks a part of its capacity while at
/// least one flow holds it. Let the partition be stable for: process -> resource with weight a_ir, one type
/// per flow of the script; resource -> process with weight 1 where a_ir > 0; both with weight 1 where the
/// flow holds r, in types of their own; process -> process with the number of permits given, one type per
/// (signal, channel). Then at every moment all processes of a cell are in the same state and all their flows
/// have the same rate; and the simulation of the quotient, with one process and one resource per cell, and
/// the sum of a_ir over the processes i of a cell as the coefficient on one resource r of a cell, passes
/// through the same states at the same times.
///
/// Proof sketch. Induction over the instants with events. (1) Rates. At the start of an instant, equal states
/// mean that the flows in flight are unions of (cell, flow of the script), and that all resources of a cell
/// are held or none. Fill progressively: while all
/// growing flows are at weight * level, the resources of a cell carry the same load, as it is
/// sum over cells C of (sum of a_ir, i in C) * rate(C), equal by stability; so they saturate at the same
/// level. A flow freezes when it touches a saturated resource, or at its cap; by stability (weight 1 edges)
/// all flows of a cell touch the same cells of resources, so they freeze together at the same rate. That is
/// the quotient's own filling, and the solution of max-min is unique. (2) Time. Equal rates and equal work
/// left give the next end at the same time for the whole cell; sleeps end together as they began together.
/// (3) Signals. When a cell C acts, each v of a cell receives the same number of permits from it, by
/// stability. A process waits only for its own permits, so whether it goes on is again the same for the cell.
///
/// Rates alone are the classical case: stability in both directions with weights is an equitable partition,
/// equivalently a fractional automorphism of the weighted bipartite graph; averaging over cells maps feasible
/// points to feasible points and never makes the sorted vector of rates lexicographically smaller, so the
/// unique lexicographic optimum is constant on cells. The one-sided condition here (total load on the
/// resource's side, only *which* cells on the flow's side) folds more and is enough for the filling argument.
/// When something that stability has used changes (a capacity, a state), the partition is computed again with
/// the states of that moment as colours: fold.hpp.
///
/// The algorithm is Hopcroft's: a cell is a splitter once; of the parts of a split cell the largest need not
/// be a splitter again, since its weights are those of the whole less those of the others. A vertex is
/// therefore in a splitter O(log n) times: O((n + m) log n) in all, next to sorting by weight. Weights are
/// summed as integers (of 64 or 128 bits, in units of a power of two), so that equal sums compare equal in
/// whatever order they come.
///
/// References: M. Ramana, E. Scheinerman, D. Ullman, "Fractional isomorphism of graphs", Discrete
/// Mathematics 132, 1994; M. Grohe, K. Kersting, M. Mladenov, E. Selman, "Dimension reduction via colour
/// refinement", ESA 2014 (LNCS 8737); R. Paige, R. Tarjan, "Three partition refinement algorithms", SIAM J.
/// Comput. 16(6), 1987; C. Berkholz, P. Bonsma, M. Grohe, "Tight lower and upper bounds for the complexity of
/// canonical colour refinement", ESA 2013; D. Bertsekas, R. Gallager, "Data Networks", 1992, section 6.5.2.
#include <cstdint>
#include <span>
#include <vector>

namespace rackcast {

/// Edges are stored by source: those of vertex v are edges[first[v]] to edges[first[v + 1]].
struct InfluenceGraph {
  struct Edge {
    std::uint32_t target;
    std::uint32_t label;  ///< index in labels
  };
  struct Label {
    std::uint32_t type;  ///< small numbers: memory is proportional to the largest
    double weight;       ///< > 0
  };
  std::vector<std::uint32_t> first{0};
  std::vector<Edge> edges;
  std::vector<Label> labels;

  [[nodiscard]] std::size_t vertices() const { return first.size() - 1; }
};

/// Cells are numbered by their lowest vertex, so that the numbering depends on the partition alone.
struct Partition {
  std::vector<std::uint32_t> cell;            ///< per vertex
  std::vector<std::uint32_t> representative;  ///< per cell, its lowest vertex
  std::vector<std::uint32_t> size;            ///< per cell

  [[nodiscard]] std::size_t cells() const { return size.size(); }
};

/// `colours`: one number per vertex, below the number of vertices; equal means alike by themselves.
Partition coarsest_stable_partition(const InfluenceGraph& graph, std::span<const std::uint32_t> colours);

}  // namespace rackcast
