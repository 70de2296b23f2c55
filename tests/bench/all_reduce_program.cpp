#include "all_reduce_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace rackcast::bench {

namespace {

/// The resources of the cluster and the ways over them.
class Wiring {
 public:
  Wiring(const ClusterShape& cluster, FlowProgram& program, Describe describe = Describe::every_node)
      : shape_(cluster), leaves_((cluster.nodes + cluster.nodes_per_leaf - 1) / cluster.nodes_per_leaf) {
    const bool one =
        describe == Describe::one_leaf && leaves_ > 1 && cluster.nodes % cluster.nodes_per_leaf == 0;
    const std::uint32_t leaves = one ? 1 : leaves_;
    copies_ = one ? leaves_ : 1;
    nodes_ = cluster.nodes / copies_;
    const std::uint32_t gpus = nodes_ * cluster.gpus_per_node;
    const double uplinks =
        cluster.adapter.base() * cluster.nodes_per_leaf * cluster.gpus_per_node / cluster.oversubscription;
    program.resources.reserve(4 * std::size_t{gpus} + 2 * std::size_t{leaves});
    nvlink_out_ = program.add_resources("nvlink out", gpus, cluster.nvlink.base()).index;
    nvlink_in_ = program.add_resources("nvlink in", gpus, cluster.nvlink.base()).index;
    adapter_out_ = program.add_resources("adapter out", gpus, cluster.adapter.base()).index;
    adapter_in_ = program.add_resources("adapter in", gpus, cluster.adapter.base()).index;
    for (ProgramResource& resource : program.resources) resource.count = copies_;
    if (leaves_ < 2) return;
    up_ = program.add_resources("leaf up", leaves, uplinks).index;
    down_ = program.add_resources("leaf down", leaves, uplinks).index;
  }

  /// That are described, and how many of each there are.
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t copies() const { return copies_; }

  struct Way {
    std::vector<Usage> uses;
    Duration latency{};
  };

  [[nodiscard]] Way in_node(std::uint32_t from, std::uint32_t to) const {
    return {{{{nvlink_out_ + from}, 1}, {{nvlink_in_ + to}, 1}}, shape_.nvlink_latency};
  }
  /// Over the adapters of `width` GPUs from `from` and `to` on.
  [[nodiscard]] Way between(std::uint32_t from, std::uint32_t to, std::uint32_t width) const {
    Way way;
    for (std::uint32_t i = 0; i < width; ++i) {
      way.uses.push_back({{adapter_out_ + from + i}, 1.0 / width});
      way.uses.push_back({{adapter_in_ + to + i}, 1.0 / width});
    }
    const std::uint32_t gpus_per_leaf = shape_.gpus_per_node * shape_.nodes_per_leaf;
    way.latency = shape_.leaf_latency;
    const bool into_next_copy = copies_ > 1 && to < from;
    if (from / gpus_per_leaf != to / gpus_per_leaf || into_next_copy) {
      way.uses.push_back({{up_ + from / gpus_per_leaf}, 1});
      way.uses.push_back({{down_ + to / gpus_per_leaf}, 1});
      way.latency = shape_.spine_latency;
    }
    return way;
  }

 private:
  const ClusterShape& shape_;
  std::uint32_t leaves_, copies_ = 1, nodes_ = 1;
  std::uint32_t nvlink_out_ = 0, nvlink_in_ = 0, adapter_out_ = 0, adapter_in_ = 0, up_ = 0, down_ = 0;
};

}  // namespace

ClusterShape cluster_of(std::uint32_t gpus) {
  ClusterShape shape;
  shape.nodes = std::max(1u, gpus / shape.gpus_per_node);
  return shape;
}

FlowProgram ring_all_reduce(const ClusterShape& cluster, Bytes payload, Describe describe) {
  FlowProgram program;
  const Wiring wiring(cluster, program, describe);
  const std::uint32_t n = cluster.gpus();
  const std::uint32_t script = program.add_script(Script("rank")
                                                      .repeat(2 * (std::uint64_t{n} - 1), true)
                                                      .flow(0, "chunk")
                                                      .signal(0)
                                                      .wait(0)
                                                      .end()
                                                      .mark(0));
  const std::uint32_t described = wiring.nodes() * cluster.gpus_per_node;
  for (std::uint32_t from = 0; from < described; ++from) {
    const std::uint32_t to = (from + 1) % described;
    const std::uint32_t width = cluster.gpus_per_node;
    const bool leaves = from / width != to / width;
    const Wiring::Way way =
        leaves ? wiring.between(from / width * width, to, width) : wiring.in_node(from, to);
    const std::uint32_t flow =
        program.add_flow({.work = work_of(payload / n), .latency = way.latency}, way.uses);
    program.add_actor({.script = script, .first_flow = flow, .number = from, .count = wiring.copies()});
    program.add_signal({.from = from, .to = to});
  }
  return program;
}

namespace {

struct TreeNode {
  std::uint32_t parent = 0;
  std::vector<std::uint32_t> children{};
};

/// ncclGetBtree: node 0 is the root and has one child; a node whose lowest set bit is 2^k has children at
/// distance 2^(k-1); a right child beyond the end moves nearer until it exists.
std::vector<TreeNode> binary_tree(std::uint32_t nodes) {
  std::vector<TreeNode> tree(nodes);
  const auto attach = [&](std::uint32_t child, std::uint32_t parent) {
    tree[child].parent = parent;
    tree[parent].children.push_back(child);
  };
  if (nodes > 1) attach(std::bit_floor(nodes - 1), 0);
  for (std::uint32_t i = 1; i < nodes; ++i) {
    const std::uint32_t low = i & (~i + 1);
    if (low == 1) continue;
    attach(i - low / 2, i);
    std::uint32_t step = low / 2;
    while (step > 0 && i + step >= nodes) step /= 2;
    if (step > 0) attach(i + step, i);
  }
  return tree;
}

/// Four streams per node, each an actor: reduction in the node, up, down, broadcast in the node.
class TreeBuilder {
 public:
  TreeBuilder(const ClusterShape& cluster, Bytes payload, std::uint32_t chunks)
      : shape_(one_port_per_node(cluster)),
        chain_latency_((cluster.gpus_per_node - 1) * cluster.nvlink_latency),
        wiring_(shape_, program_),
        chunk_(work_of(payload / chunks)),
        chunks_(chunks) {}

  FlowProgram build() {
    const std::vector<TreeNode> tree = binary_tree(shape_.nodes);
    const std::uint32_t reduce = program_.add_script(loop("reduce").flow(0).signal(0).end());
    const std::uint32_t down = program_.add_script(loop("down").wait(0).flow(0).signal(0).end());
    const std::uint32_t root_down = program_.add_script(loop("root down").wait(0).signal(0).end());
    const std::uint32_t broadcast = program_.add_script(loop("broadcast").wait(0).flow(0).end().mark(0));
    std::vector<std::uint32_t> up;
    for (std::uint32_t c = 0; c <= 2; ++c) {
      up.push_back(program_.add_script(loop("up").wait(0).wait(1, c).flow(0).signal(0).end()));
    }
    const std::uint32_t root_up =
        program_.add_script(loop("root up").wait(0).wait(1, tree[0].children.size()).signal(0).end());
    for (std::uint32_t node = 0; node < shape_.nodes; ++node) {
      const auto children = static_cast<std::uint32_t>(tree[node].children.size());
      add(reduce, node, chain(node));
      add(node == 0 ? root_up : up[children], node, way(node, tree[node].parent));
      add(node == 0 ? root_down : down, node, way(tree[node].parent, node));
      add(broadcast, node, chain(node));
      program_.add_signal({.from = actor(node, 0), .to = actor(node, 1)});
      program_.add_signal({.from = actor(node, 2), .to = actor(node, 3)});
      if (node == 0) {
        program_.add_signal({.from = actor(0, 1), .to = actor(0, 2)});
      } else {
        program_.add_signal({.from = actor(node, 1), .to = actor(tree[node].parent, 1), .channel = 1});
        program_.add_signal({.from = actor(tree[node].parent, 2), .to = actor(node, 2)});
      }
    }
    return std::move(program_);
  }

 private:
  static std::uint32_t actor(std::uint32_t node, std::uint32_t stream) { return 4 * node + stream; }
  [[nodiscard]] Script loop(const char* name) const {
    Script script(name);
    script.repeat(chunks_, true);
    return script;
  }
  /// The adapters of a node are loaded alike, and so are the NVLink ports along a chain, which is as fast as
  /// its slowest hop: one of them stands for all.
  static ClusterShape one_port_per_node(ClusterShape shape) {
    shape.adapter *= shape.gpus_per_node;
    shape.gpus_per_node = 1;
    return shape;
  }
  [[nodiscard]] Wiring::Way chain(std::uint32_t node) const {
    Wiring::Way whole = wiring_.in_node(node, node);
    whole.latency = chain_latency_;
    return whole;
  }
  [[nodiscard]] Wiring::Way way(std::uint32_t from, std::uint32_t to) const {
    return from == to ? Wiring::Way{} : wiring_.between(from, to, 1);
  }
  void add(std::uint32_t script, std::uint32_t node, const Wiring::Way& over) {
    const std::uint32_t flow = program_.add_flow({.work = chunk_, .latency = over.latency}, over.uses);
    program_.add_actor({.script = script, .first_flow = flow, .number = node});
  }

  ClusterShape shape_;
  Duration chain_latency_;
  FlowProgram program_;
  Wiring wiring_;
  double chunk_;
  std::uint32_t chunks_;
};

}  // namespace

FlowProgram tree_all_reduce(const ClusterShape& cluster, Bytes payload, std::uint32_t chunks) {
  return TreeBuilder(cluster, payload, chunks).build();
}

FlowProgram hierarchical_all_reduce(const ClusterShape& cluster, Bytes payload, Describe describe) {
  FlowProgram program;
  const Wiring wiring(cluster, program, describe);
  const std::uint32_t width = cluster.gpus_per_node;
  Script script("rank");
  script.repeat(width - 1).flow(0, "reduce-scatter").signal(0).wait(0).end();
  script.repeat(2 * (std::uint64_t{cluster.nodes} - 1), true).flow(1, "rail").signal(1).wait(1).end();
  script.repeat(width - 1).flow(0, "all-gather").signal(0).wait(0).end().mark(0);
  const std::uint32_t rank = program.add_script(script);
  const double part = work_of(payload / width);
  for (std::uint32_t node = 0; node < wiring.nodes(); ++node) {
    for (std::uint32_t g = 0; g < width; ++g) {
      const std::uint32_t me = node * width + g;
      const std::uint32_t beside = node * width + (g + 1) % width;
      const std::uint32_t rail = (node + 1) % wiring.nodes() * width + g;
      const Wiring::Way inside = wiring.in_node(me, beside);
      const std::uint32_t first = program.add_flow({.work = part, .latency = inside.latency}, inside.uses);
      const Wiring::Way outside = cluster.nodes > 1 ? wiring.between(me, rail, 1) : Wiring::Way{};
      program.add_flow({.work = part / cluster.nodes, .latency = outside.latency}, outside.uses);
      program.add_actor({.script = rank, .first_flow = first, .number = me, .count = wiring.copies()});
      program.add_signal({.from = me, .slot = 0, .to = beside, .channel = 0});
      program.add_signal({.from = me, .slot = 1, .to = rail, .channel = 1});
    }
  }
  return program;
}

}  // namespace rackcast::bench
