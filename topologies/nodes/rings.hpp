#pragma once
/// The rings that a ring all-reduce uses, mapped on the real links as NCCL maps them.
///
/// In a node with an NVLink mesh: as many edge-disjoint Hamiltonian cycles as the links allow, each in both
/// directions, each taking one link per hop. Where that leaves links idle and cycles of half the rate fill
/// all links of all GPUs, those are taken (four fully connected P100: six half-rate rings). Behind NVSwitches
/// one ring over all planes. Where no cycle closes over direct links (five GPUs of the hybrid cube mesh),
/// rings that pass data through a third GPU. Else one ring in PCIe order, or the best cyclic order. Between
/// nodes: one ring per network adapter near the GPUs (more if an adapter is faster than an NVLink), which
/// enters and leaves the node next to it and takes a Hamiltonian path inside.
///
/// This reproduces measured bus bandwidths in units of one link (Tartan, IISWC 2018, for P100;
/// VIA-Research/vTrain for V100): DGX-1 P100, 2/3/4/6/7/8 GPUs: 1/2/3/2/2/4 links; DGX-1V, 2/3/4/6/7/8 GPUs:
/// 1/2/4/2/4/6 links. With 5 GPUs of a DGX-1V two rings fit, and 1.7 links were measured: what the relay
/// costs has no source.
#include <vector>

#include "topologies/routing/routing.hpp"

namespace rackcast {

struct Ring {
  /// Where it leaves a node: from gpus[after] to the next.
  struct Crossing {
    std::size_t after = 0;
    DeviceId exit_nic = no_id, entry_nic = no_id;
  };

  /// A hop between two GPUs without a link: from gpus[after] through a third to the next.
  struct Relay {
    std::size_t after = 0;
    DeviceId through = no_id;
  };

  std::vector<DeviceId> gpus;       ///< in the order in which data go round
  std::vector<Crossing> crossings;  ///< ascending; none inside one node
  std::vector<Relay> relays;        ///< ascending
  RouteChoice choice;
  /// The part of the payload that this ring carries; the parts of all rings add up to 1.
  double payload_share = 1;
  /// What every hop carries when all rings run together and nothing else does. With several rings on a link
  /// each gets an even part.
  Bandwidth rate{0};

  /// Calls f(from, to, choice) for every hop from gpus[i] to gpus[i + 1], the last one back to gpus[0] (left
  /// out where the ring is not `closed`); twice where the hop goes through a third GPU.
  template <class F>
  void each_hop(F&& f, bool closed = true) const {
    auto crossing = crossings.begin();
    auto relay = relays.begin();
    for (std::size_t i = 0; i + (closed ? 0 : 1) < gpus.size(); ++i) {
      RouteChoice own = choice;
      if (crossing != crossings.end() && crossing->after == i) {
        own.from_nic = crossing->exit_nic;
        own.to_nic = crossing->entry_nic;
        ++crossing;
      }
      DeviceId from = gpus[i];
      if (relay != relays.end() && relay->after == i) {
        f(from, relay->through, own);
        from = relay->through;
        ++relay;
      }
      f(from, gpus[(i + 1) % gpus.size()], own);
    }
  }
  /// The route of every hop.
  [[nodiscard]] std::vector<Route> hops(Router& router) const;
};

/// Rings over `gpus` (at least two, distinct, in any order; nodes are visited in ascending order). Throws
/// Error if some cannot be reached. The router decides on relaying through GPUs (NCCL since
/// 2.8: models/collectives/comm_library.hpp).
std::vector<Ring> rings(Router& router, const std::vector<DeviceId>& gpus, const RouteChoice& choice = {});

/// The bus bandwidth of a long ring all-reduce: the rates of all rings together.
Bandwidth total_rate(const std::vector<Ring>& rings);

}  // namespace rackcast
