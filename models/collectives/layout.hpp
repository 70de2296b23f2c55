#pragma once
/// Layout: the places of the ranks of a collective in a cluster. The messages that an algorithm sends on it
/// add up to loads of links, in bytes for each byte of payload.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/collectives/collective.hpp"
#include "models/collectives/comm_data.hpp"
#include "topologies/nodes/rings.hpp"
#include "topologies/routing/route_loads.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

/// Ports of nodes and links among switches.
bool between_nodes(LinkKind kind);

/// Rates that links reach in long collectives, in the order of the topology's link classes: the rate that the
/// collective library was measured to reach (models/data/collectives/links.json), else the catalogue's
/// achievable rate.
class LinkRates {
 public:
  /// `network_efficiency` multiplies the rates of links between nodes: TCP, gRPC, ...
  /// The cluster must outlive the rates.
  explicit LinkRates(const Cluster& cluster, double network_efficiency = 1);
  [[nodiscard]] Bandwidth of(LinkId link) const;
  /// Ports of nodes and links among switches.
  [[nodiscard]] bool is_between_nodes(LinkId link) const;

 private:
  const Topology& topology_;
  std::vector<Bandwidth> by_class_;
};

class Layout {
 public:
  /// The cluster must outlive the layout.
  /// `relays`: the library passes data through a GPU between two that share no link.
  explicit Layout(const Cluster& cluster, Endpoints endpoints = Endpoints::gpus, bool relays = false);

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const std::vector<Ring>& rings() const;
  [[nodiscard]] int ranks() const { return static_cast<int>(ends_.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(nodes_.size()); }
  /// Ranks (numbers into the cluster's list) of each node that takes part.
  [[nodiscard]] const std::vector<std::vector<int>>& by_node() const { return nodes_; }
  [[nodiscard]] bool on_gpus() const { return endpoints_ == Endpoints::gpus; }
  [[nodiscard]] bool same_node(int a, int b) const;
  /// What copies at the ends of a collective cost two GPUs, as bytes on their links for each byte of payload
  /// (LinkNumbers::ends). 0 where no links of GPUs join them.
  [[nodiscard]] double copied_at_ends(DeviceId from, DeviceId to) const;
  [[nodiscard]] DeviceId end(int rank) const { return ends_[static_cast<std::size_t>(rank)]; }
  Router& router() { return router_; }

  /// `bytes` per byte of payload from one rank to another. Two ranks of one CPU exchange through its memory,
  /// which loads no link. `at_ends`: the part of the payload's copies at the ends that the message has;
  /// nothing: that of an all-reduce of many ranks, half of the bytes.
  void send(int from, int to, double bytes, std::optional<double> at_ends = {});
  void load(DeviceId from, DeviceId to, double bytes, const RouteChoice& choice = {}) {
    loads_.add(from, to, bytes, choice);
  }
  void load(LinkId link, double bytes) { loads_.add(link, bytes); }
  /// What has been sent since the last call, as a stage.
  CollectiveStage stage(const HopCount& hops);

 private:
  const Cluster& cluster_;
  Endpoints endpoints_;
  bool relays_;
  Router router_;
  double copied_at_ends_ = 0;  ///< between GPUs that links of GPUs join
  std::vector<DeviceId> ends_;
  std::vector<int> node_of_;
  std::vector<std::vector<int>> nodes_;
  RouteLoads loads_;
};

/// Error for an operation that an algorithm does not have.
[[noreturn]] void refuse_operation(std::string_view algorithm, Collective operation);

}  // namespace rackcast
