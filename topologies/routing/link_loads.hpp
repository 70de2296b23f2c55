#pragma once
/// LinkLoads: sums of the bytes on the links of a cluster, stored once for nodes that are loaded alike.
///
/// Most nodes of a cluster carry the same loads: those of a ring, a leaf or an inner node of a tree. So a
/// node has no array of sums of its own but a state: the sequence of additions to it so far. An addition to a
/// link of a node moves the node to the next state. The first node that reaches a state creates it, and all
/// others find it. The sums of a state are computed once, in the order of the additions, so they have the
/// same bits as in an array for each node. Cost: a look-up for each addition; memory: a number for each node,
/// and the few states.
///
/// Where all nodes differ (an all-to-all of many GPUs) there would be as many states as additions. Past a
/// limit the states in use are replaced by their sums, equal ones become one, and the additions go on from
/// there.
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "topologies/graph/graph.hpp"

namespace rackcast {

/// Bytes over a link for each byte of payload.
struct LinkLoad {
  LinkId link = no_id;
  double bytes = 0;
  friend bool operator==(const LinkLoad&, const LinkLoad&) = default;
};

/// The loads of all links. Nodes of a class have the same shape and the same loads at the same offsets.
struct LinkPattern {
  struct NodeClass {
    int first_node = 0, nodes = 0;
    std::vector<LinkLoad> loads;  ///< of the first node, ascending links
  };
  std::vector<NodeClass> classes;           ///< by ascending first node
  std::vector<std::int32_t> class_of_node;  ///< -1: nothing; empty: no node has any
  std::vector<LinkLoad> fabric;             ///< links outside the nodes, ascending

  /// Calls f(load, how many links carry the same) for one node of each class and for the fabric.
  template <class F>
  void each(F&& f) const {
    for (const NodeClass& c : classes)
      for (const LinkLoad& load : c.loads) f(load, c.nodes);
    for (const LinkLoad& load : fabric) f(load, 1);
  }
};

class LinkLoads {
 public:
  /// 24 MB of states with their index.
  static constexpr std::size_t usual_limit = 500'000;
  /// The topology must outlive it. `limit`: states before they are written out.
  explicit LinkLoads(const Topology& topology, std::size_t limit = usual_limit);

  void add(LinkId link, double bytes);
  /// A number for additions that go together, to links given as offsets into their node.
  int sequence(std::vector<LinkLoad> offsets);
  void add_sequence(int node, int sequence);

  /// What has been added since the last call.
  std::shared_ptr<const LinkPattern> take();

  /// States that exist now, for tests.
  [[nodiscard]] std::size_t states() const { return steps_.size() + bases_.size(); }

 private:
  struct Step {
    std::int32_t before, what;  ///< what: a sequence
  };
  struct Sequence {
    std::vector<LinkLoad> offsets;
    int times = 1;  ///< one after the other
  };
  /// Additions to a node of one sequence over and over, which are one step on its way.
  struct Run {
    int sequence = -1, times = 0;
  };
  struct Shaped {
    int shape = 0;
    std::vector<LinkLoad> sums;  ///< by offset, ascending
    friend bool operator==(const Shaped&, const Shaped&) = default;
  };
  struct Hash {
    std::size_t operator()(const Shaped& s) const;
    std::size_t operator()(const LinkLoad& l) const;
  };

  /// The number of the sequence that is `sequence` added `times` times in a row.
  int repeated(int sequence, int times);
  void move_on(int node, int sequence);
  /// The sums of a state.
  [[nodiscard]] std::vector<LinkLoad> sums_of(std::int32_t state);
  /// Makes sums of the states in use.
  void write_out();

  const Topology& topology_;
  LinkId first_fabric_ = 0;  ///< links from here on belong to no node
  std::vector<Sequence> sequences_;
  std::unordered_map<std::uint64_t, int> repeated_;  ///< sequence and times
  std::unordered_map<LinkLoad, int, Hash> singles_;
  std::vector<std::vector<LinkLoad>> bases_;  ///< states 0 ... : sums; 0 is nothing
  std::vector<Step> steps_;                   ///< states from bases_.size() on
  std::unordered_map<std::uint64_t, std::int32_t> next_;
  std::vector<Run> runs_;            ///< of each node, behind its state
  std::vector<std::int32_t> state_;  ///< of each node
  std::vector<double> fabric_;
  std::vector<LinkId> touched_;
  std::size_t limit_ = 0, most_steps_ = 0;
  std::vector<double> scratch_;
};

}  // namespace rackcast
