/// Parameter servers: every array goes to the server that holds it, is added there, and comes back as
/// weights.
///
/// Servers are chosen by array in turn, so one large array (the first fully connected layer of VGG-16 is 74 %
/// of its parameters) makes one server the bottleneck of all ranks, whatever their number: M. Li et al.,
/// "Scaling distributed machine learning with the parameter server", OSDI 2014; A. Sergeev, M. Del Balso,
/// "Horovod", arXiv:1802.05799, 2018, for what that does to VGG-16.
///
/// MXNet's KVStore hands whole arrays from hop to hop (`whole_arrays`; src/kvstore/kvstore_dist.h: Reduce,
/// CopyFromTo, ZPush, and ZPull, Broadcast back): the times of the hops add up for each array, and overlap
/// between arrays only.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/collectives/laid_out.hpp"
#include "models/collectives/layout.hpp"
#include "models/exchange/compression.hpp"
#include "models/step/exchange_plan.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Parts of an array's way. Where nothing waits for whole arrays, `up` and `down` begin and end at the GPUs.
enum class Leg { gather, up, down, spread };

class Servers {
 public:
  /// `of`: the crew that sends to them.
  Servers(const Cluster& cluster, const ServerSpec& spec, const Crew& of)
      : cluster_{cluster},
        spec_{spec},
        of_{of.nodes},
        layout_{cluster},
        near_cpu_(cluster.topology.devices().size(), no_id) {
    place();
    for (std::size_t n = 0; n < layout_.by_node().size(); ++n) {
      const int node = device(layout_.end(layout_.by_node()[n].front())).node;
      if (of_.empty() || std::ranges::find(of_, node) != of_.end()) senders_.push_back(n);
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(places_.size()); }

  /// Gradients of all ranks to server s (`up`), or weights back; what the server adds.
  int pattern(PatternBook& book, int s, Leg leg) {
    return pattern(book, leg, s, [&](auto& takes) {
      Messages all;
      for (const std::size_t n : senders_) all += load_way(s, n, leg);
      take(s, leg, all, takes);
    });
  }

  /// The same of an array that is cut over all servers: its parts leave together, as one flow.
  int pattern_of_all(PatternBook& book, Leg leg) {
    return pattern(book, leg, -1, [&](auto& takes) {
      std::vector<Messages> all(places_.size());
      // One receiver after the other: its senders are neighbours and share ways through the fabric. That is
      // as if servers came first where each link is given the same amount every time.
      if (leg == Leg::down && spec_.whole_arrays && one_on_a_node_) {
        for (const std::size_t n : senders_)
          for (std::size_t s = 0; s < all.size(); ++s) all[s] += load_way(static_cast<int>(s), n, leg);
      } else {
        for (std::size_t s = 0; s < all.size(); ++s)
          for (const std::size_t n : senders_) all[s] += load_way(static_cast<int>(s), n, leg);
      }
      for (int s = 0; s < count(); ++s) take(s, leg, all[static_cast<std::size_t>(s)], takes);
    });
  }

  /// The sum of one array within every node, into memory or by way of one of its GPUs, in turn; or back.
  int pattern_in_node(PatternBook& book, int array, Leg leg) {
    const bool up = leg == Leg::gather;
    const auto most = std::ranges::max(layout_.by_node(), {}, &std::vector<int>::size).size();
    const int turn = spec_.sums_on_gpu ? array % static_cast<int>(most) : 0;
    return pattern(book, leg, turn, [&](auto&) {
      for (const std::size_t n : senders_) {
        const auto& node = layout_.by_node()[n];
        if (!spec_.sums_on_gpu) {
          inside(n, up);
          continue;
        }
        const DeviceId sum = layout_.end(node[static_cast<std::size_t>(turn) % node.size()]);
        for (const int rank : node) load(layout_.end(rank), sum, up);
        load(sum, near_cpu(sum), up);
      }
    });
  }

 private:
  /// Laid out once for the cluster, however often its step is simulated.
  template <class LayOut>
  int pattern(PatternBook& book, Leg leg, int which, LayOut&& lay_out) {
    int& known = patterns_[{leg, which}];
    if (known) return known;
    const std::array flags{spec_.apart, spec_.on_gpus, spec_.sums_in_node, spec_.whole_arrays,
                           spec_.sums_on_gpu};
    const ServerWay way{spec_.count, flags, static_cast<int>(leg), which, of_};
    auto& all = cluster_.laid_out->servers;
    auto it = all.find(way);
    if (it == all.end()) {
      ServerLoads loads;
      lay_out(loads.takes);
      loads.links = layout_.stage({}).pattern;
      it = all.emplace(way, std::move(loads)).first;
    }
    return known = book.add({{{it->second.links, 1}}, it->second.takes});
  }

  struct Messages {
    double all = 0, remote = 0;
    void operator+=(const Messages& more) { all += more.all, remote += more.remote; }
  };

  /// Lays out what one server gets from a node or gives to it.
  Messages load_way(int s, std::size_t n, Leg leg) {
    const DeviceId server = places_[static_cast<std::size_t>(s)];
    const bool up = leg == Leg::up;
    const auto& node = layout_.by_node()[n];
    const bool far = device(server).node != device(layout_.end(node.front())).node;
    if (spec_.whole_arrays || (far && spec_.sums_in_node && !spec_.on_gpus)) {
      // The node adds up its GPUs' gradients in its memory and sends one copy.
      if (!spec_.whole_arrays) inside(n, up);
      load(near_cpu(layout_.end(node.front())), server, up);
      return {1, 1};
    }
    for (const int rank : node) load(layout_.end(rank), server, up);
    const auto messages = static_cast<double>(node.size());
    return {messages, far ? messages : 0};
  }

  /// The resources of a server that these messages use.
  static void take(int s, Leg leg, const Messages& messages, std::vector<std::pair<int, double>>& takes) {
    if (leg == Leg::up) takes.emplace_back(2 * s, messages.all);
    takes.emplace_back(2 * s + 1, messages.remote);
  }

  /// From the GPUs of a node to its memory, or back.
  void inside(std::size_t node, bool up) {
    for (const int rank : layout_.by_node()[node]) load(layout_.end(rank), near_cpu(layout_.end(rank)), up);
  }

  [[nodiscard]] const Device& device(DeviceId id) const { return cluster_.topology.device(id); }

  void load(DeviceId rank, DeviceId server, bool up) {
    if (rank == server) return;
    layout_.load(up ? rank : server, up ? server : rank, 1);
  }

  DeviceId near_cpu(DeviceId gpu) {
    DeviceId& known = near_cpu_[static_cast<std::size_t>(gpu)];
    if (known != no_id) return known;
    return known = layout_.router().nearest_cpu(gpu);
  }

  void place() {
    const Topology& t = cluster_.topology;
    std::set<int> busy;
    for (const DeviceId gpu : cluster_.ranks) busy.insert(device(gpu).node);
    if (spec_.on_gpus) {
      if (busy.size() > 1) throw Error{"variables on the GPUs are modelled for one node only"};
      places_ = cluster_.ranks;
      return;
    }
    std::vector<int> hosts;
    for (int node = 0; node < t.nodes(); ++node)
      if (busy.contains(node) != spec_.apart) hosts.push_back(node);
    if (hosts.empty())
      throw Error{
          "no node is left for the parameter servers", {}, "add nodes, or put the servers on the workers"};
    one_on_a_node_ = spec_.count <= static_cast<int>(hosts.size());
    const int wanted = spec_.count > 0 ? spec_.count : static_cast<int>(hosts.size());
    for (int s = 0; s < wanted; ++s) {
      const auto cpus = t.devices_of(hosts[static_cast<std::size_t>(s) % hosts.size()], DeviceKind::cpu);
      places_.push_back(cpus[static_cast<std::size_t>(s) / hosts.size() % cpus.size()]);
    }
  }

  const Cluster& cluster_;
  const ServerSpec& spec_;
  std::vector<int> of_;  ///< nodes that send; empty: all
  Layout layout_;
  std::vector<std::size_t> senders_;  ///< of the layout's nodes
  std::vector<DeviceId> places_;
  bool one_on_a_node_ = false;      ///< server
  std::vector<DeviceId> near_cpu_;  ///< of each device, once asked for
  std::map<std::pair<Leg, int>, int> patterns_;
};

}  // namespace

ExchangeFlows server_flows(const Cluster& cluster, const TrainingSpec& spec, const Crew& crew,
                           std::span<const GradientBucket> buckets, PatternBook& book) {
  const ExchangeSpec& x = spec.exchange;
  Servers servers{cluster, x.servers, crew};
  CommModel comm{cluster, x.comm};
  ExchangeFlows out;
  out.servers = servers.count();
  out.log_sigma = comm.log_sigma();
  out.stack_rate = comm.stack_rate();
  const HopLatency step = comm.step_latency();
  const Duration hop = cluster.used_nodes() > 1 || x.servers.apart ? step.inter : step.intra;
  const Compression& packed = compression(x.compression);
  for (const GradientBucket& bucket : buckets) {
    const bool cut = x.servers.split && bucket.gradients > *x.servers.split;
    const int one = bucket.array % servers.count();
    const auto way = [&](Leg leg) {
      return cut ? servers.pattern_of_all(book, leg) : servers.pattern(book, one, leg);
    };
    const double whole = bucket.gradients.base(), parts = cut ? servers.count() : 1;
    const double up = sent_bytes(packed, bucket.parameters, bucket.gradients).base() / parts;
    out.exchanges.push_back({static_cast<int>(&bucket - buckets.data()), {}});
    std::vector<FlowStage>& flow = out.exchanges.back().stages;
    if (x.servers.whole_arrays)
      flow.push_back({servers.pattern_in_node(book, bucket.array, Leg::gather), whole, 0, {}});
    flow.push_back({way(Leg::up), up, 0, hop + x.per_bucket});
    flow.push_back({way(Leg::down), whole / parts, 0, hop});
    if (x.servers.whole_arrays)
      flow.push_back({servers.pattern_in_node(book, bucket.array, Leg::spread), whole, 0, {}});
    flow.front().latency += bucket.delay;
  }
  // Every array is on its way as soon as it is ready: connections of their own.
  out.streams = std::max(1, static_cast<int>(out.exchanges.size()));
  return out;
}

}  // namespace rackcast
