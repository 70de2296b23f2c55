#include "models/collectives/comm_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_library.hpp"
#include "models/collectives/laid_out.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Payload to host memory, or back: every rank over its own PCIe link.
CollectiveStage staging(Layout& gpus, bool back) {
  for (const DeviceId gpu : gpus.cluster().ranks) {
    const DeviceId cpu = gpus.router().nearest_cpu(gpu);
    gpus.load(back ? cpu : gpu, back ? gpu : cpu, 1);
  }
  // Start of a copy between host and device (cudaMemcpy, links/pcie host_to_device_latency_us).
  CollectiveStage stage = gpus.stage({});
  stage.latency = Duration{8e-6};
  return stage;
}

}  // namespace

/// Throws Error where GPUs have no library that is described.
void require_library(const Cluster& cluster) {
  const NodeSpec& node = cluster.node;
  const ArchitectureSpec& line = node.gpu.line;
  if (cluster.comm->libraries.contains(line.collective_library)) return;
  throw Error{
      fmt::format("{} ({}): its entry names no library that works between GPUs", node.gpu.name, line.name),
      {},
      "use one GPU, or an exchange over another transport: \"exchange\": {\"transport\": \"mpi\"}",
      ErrorKind::infeasible};
}

/// Payload bytes per second that the links inside nodes and between them allow.
struct PatternRate {
  Bandwidth inside{std::numeric_limits<double>::infinity()}, between{std::numeric_limits<double>::infinity()};
  [[nodiscard]] Bandwidth least() const { return std::min(inside, between); }
};

/// One way of the library to do one operation.
struct Way {
  CollectivePlan plan;
  CollectivePlan believed;  ///< as the library's own model has it
  Protocol protocol = Protocol::simple;
  bool tree = false;
  bool nvls = false;                         ///< a tree over nodes whose switches add
  double plateau = 1;                        ///< factor on the latency of large messages
  std::vector<PatternRate> link_rates = {};  ///< of each stage's pattern
};

/// Where the library has no choice.
Way only(CollectivePlan plan) {
  return {plan, plan};
}

struct CommModel::Impl {
  Impl(const Cluster& of, const CommSpec& with)
      : cluster{of},
        spec{with},
        library{of, with},
        rates{of, library.network_efficiency()},
        layout{of, transport.endpoints, relays()} {
    if (with.algorithm != "auto") (void)collective_algorithm(with.algorithm);
    if (library.on_gpus() && layout.ranks() > 1) require_library(of);
  }

  [[nodiscard]] bool relays() const { return library.on_gpus() && library.relays(); }

  /// A socket wakes a thread and copies through the kernel at every hop between nodes.
  void add_stack(HopLatency& hop) const {
    if (spec.stack == NetworkStack::tcp) hop.inter += transport.tcp;
  }

  const CollectivePlan& laid_out(Collective op, const std::string& algorithm) {
    auto& plans = cluster.laid_out->plans;
    const auto key = std::tuple{op, algorithm, transport.endpoints, relays()};
    auto it = plans.find(key);
    if (it == plans.end()) it = plans.emplace(key, collective_algorithm(algorithm).plan(layout, op)).first;
    return it->second;
  }

  CollectivePlan wire_plan(Collective op, const std::string& algorithm, const ProtocolCost& cost) {
    CollectivePlan plan = priced(laid_out(op, algorithm), cost.hop);
    scale_loads(plan, 1 / cost.bandwidth_factor);
    const double bus = bus_factor(op, layout.ranks());
    for (CollectiveStage& stage : plan.stages) stage.ceiling = std::min(stage.ceiling, cost.ceiling / bus);
    return plan;
  }

  void add_nccl(Collective op, const std::string& algorithm, Protocol protocol, std::vector<Way>& out) {
    const bool tree = algorithm != "ring";
    auto cost = library.cost(protocol, tree), believed = library.believed(protocol, tree);
    if (!cost || !believed) return;
    add_stack(cost->hop);
    add_stack(believed->hop);
    Way way{wire_plan(op, algorithm, *cost), wire_plan(op, algorithm, *believed), protocol, tree};
    if (!tree && protocol == Protocol::simple && op == Collective::all_reduce)
      way.plateau = library.ring_plateau();
    out.push_back(std::move(way));
  }

  std::vector<Way> nccl_ways(Collective op) {
    std::vector<Way> out;
    if (op == Collective::all_to_all) {
      HopLatency hop = library.peer_latency();
      add_stack(hop);
      out.push_back(only(priced(laid_out(op, "pairwise"), hop)));
      return out;
    }
    if (op == Collective::send_recv) {
      HopLatency hop = library.peer_latency();
      add_stack(hop);
      out.push_back(only(priced(laid_out(op, "ring"), hop)));
      return out;
    }
    const bool reduce = op == Collective::all_reduce;
    for (const Protocol protocol : all_protocols) {
      if (spec.algorithm == "auto" || spec.algorithm == "ring") add_nccl(op, "ring", protocol, out);
      // One node has no tree worth its lower bandwidth but for short messages.
      const bool tree = layout.nodes() > 1 || protocol == Protocol::ll;
      if (reduce && tree && (spec.algorithm == "auto" || spec.algorithm == "double_binary_tree"))
        add_nccl(op, "double_binary_tree", protocol, out);
    }
    const std::string nvls = layout.nodes() > 1 ? "nvls_tree" : "nvls";
    if (reduce && library.has_nvls() && spec.in_network &&
        (spec.algorithm == "auto" || spec.algorithm == nvls))
      out.push_back({priced(laid_out(op, nvls), library.nvls_latency()),
                     priced(laid_out(op, nvls), library.nvls_latency()), Protocol::simple, false,
                     layout.nodes() > 1});
    if (out.empty()) {
      auto cost = library.cost(Protocol::simple, false);
      add_stack(cost->hop);
      out.push_back(only(priced(laid_out(op, spec.algorithm), cost->hop)));
    }
    return out;
  }

  /// Whether a wait of `hop.intra` goes between ranks of one node only.
  Way other_way(Collective op, const std::string& algorithm) {
    HopLatency hop{transport.intra, transport.intra, transport.inter};
    if (spec.stack == NetworkStack::tcp) hop.inter = transport.tcp;
    Way way = only(priced(laid_out(op, algorithm), hop));
    if (transport.host_reduce && op != Collective::all_gather && op != Collective::broadcast) {
      for (CollectiveStage& stage : way.plan.stages)
        stage.ceiling = std::min(stage.ceiling, *transport.host_reduce / core_passes(op));
    }
    if (transport.staged && transport.endpoints == Endpoints::hosts) {
      Layout gpus{cluster};
      way.plan.stages.insert(way.plan.stages.begin(),
                             through_core(staging(gpus, false), transport.passes_before));
      way.plan.stages.push_back(through_core(staging(gpus, true), transport.passes_after));
    }
    return way;
  }

  /// How often one core of a rank goes over the payload in the exchange: it adds what arrives, and it copies
  /// what ranks of one node pass on. The bytes that a rank receives, and sends, are those of the bus
  /// convention; an all-reduce adds half of them and keeps the rest as it is.
  [[nodiscard]] double core_passes(Collective op) const {
    const double received = bus_factor(op, layout.ranks());
    if (transport.copies_in_node == 0) return received;
    const double added = op == Collective::all_reduce ? received / 2 : received;
    return added + (cluster.local_ranks() > 1 ? transport.copies_in_node * received : 0);
  }

  [[nodiscard]] CollectiveStage through_core(CollectiveStage stage, double passes) const {
    if (transport.host_reduce && passes > 0)
      stage.ceiling = std::min(stage.ceiling, *transport.host_reduce / passes);
    return stage;
  }

  /// The plan of a way for this payload, where size changes it.
  CollectivePlan sized(const Way& way, CollectivePlan plan, Bytes payload) const {
    if (layout.nodes() == 1) {
      if (way.tree) scale_loads(plan, 1 / library.tree_correction(way.protocol, payload));
    } else {
      if (way.tree || way.nvls) plan.stages.front().latency += fill(way, payload);
      // A tree passes the payload on whole, a ring in as many parts as there are ranks.
      const Bytes message = way.tree || way.nvls ? payload : payload / layout.ranks();
      for (CollectiveStage& stage : plan.stages)
        stage.latency += stage.hops.inter * library.handshake(way.protocol, message);
    }
    if (way.plateau != 1 && payload.base() / layout.ranks() >= 64 * 1024)
      for (CollectiveStage& stage : plan.stages) stage.latency *= way.plateau;
    return plan;
  }

  /// Filling the pipeline of a tree: each hop passes the first wave on when it has it. The wave's own time on
  /// the slowest links is part of the payload's.
  Duration fill(const Way& way, Bytes payload) const {
    const Bytes wave = library.first_wave(way.protocol, way.nvls, payload);
    const CollectiveStage& stage = way.plan.stages.front();
    const PatternRate& rate = way.link_rates.front();
    const double inside = way.nvls ? 2 : stage.hops.intra;
    const Duration hops = inside * (wave / rate.inside) + stage.hops.inter * (wave / rate.between);
    return std::max(Duration{0}, stage.scale * (hops - wave / rate.least()));
  }

  /// Protocols share the patterns of an algorithm.
  PatternRate rate_of(const CollectiveStage& stage) {
    const auto [it, fresh] = pattern_rates.emplace(stage.pattern.get(), PatternRate{});
    PatternRate& rate = it->second;
    if (!fresh) return rate;
    stage.pattern->each([&](const LinkLoad& load, int) {
      const bool between = between_nodes(cluster.topology.class_of(load.link).kind);
      Bandwidth& least = between ? rate.between : rate.inside;
      least = std::min(least, rates.of(load.link) / load.bytes);
    });
    return rate;
  }

  /// The choice stays that of the library's own model; what it costs is what was measured.
  void apply_refinement(Collective op) {
    const bool measured =
        op == Collective::all_reduce || op == Collective::reduce_scatter || op == Collective::all_gather;
    if (!spec.refined || !measured) return;
    scale_loads(chosen, spec.refined->load);
    for (CollectiveStage& stage : chosen.stages) stage.latency *= spec.refined->latency;
  }

  const CollectivePlan& choose(Collective op, Bytes payload) {
    if (!library.on_gpus()) {
      const std::string algorithm = library.algorithm_for(op, payload);
      auto& slot = others[{op, algorithm}];
      if (!slot) slot = other_way(op, algorithm).plan;
      return *slot;
    }
    auto& ways = by_operation[op];
    if (ways.empty()) {
      ways = nccl_ways(op);
      for (Way& way : ways)
        for (const CollectiveStage& stage : way.plan.stages) way.link_rates.push_back(rate_of(stage));
    }
    Duration best{1e30};
    const Way* taken = &ways.front();
    for (const Way& way : ways) {
      const CollectivePlan plan = sized(way, way.believed, payload);
      Duration time{0};
      for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const CollectiveStage& stage = plan.stages[i];
        time += stage.latency + payload / std::min(stage.ceiling, way.link_rates[i].least() / stage.scale);
      }
      if (time < best) best = time, taken = &way;
    }
    chosen = sized(*taken, taken->plan, payload);
    apply_refinement(op);
    return chosen;
  }

  const Cluster& cluster;
  CommSpec spec;
  CommLibrary library;
  const Transport& transport{library.transport()};
  LinkRates rates;
  Layout layout;
  std::map<Collective, std::vector<Way>> by_operation;
  std::map<const void*, PatternRate> pattern_rates;
  std::map<std::pair<Collective, std::string>, std::optional<CollectivePlan>> others;
  CollectivePlan chosen;
};

CommModel::CommModel(const Cluster& cluster, const CommSpec& spec)
    : impl_{std::make_unique<Impl>(cluster, spec)} {}
CommModel::CommModel(CommModel&&) noexcept = default;
CommModel::~CommModel() = default;

const CollectivePlan& CommModel::plan(Collective operation, Bytes payload) {
  return impl_->choose(operation, payload);
}

Duration CommModel::time(Collective operation, Bytes payload) {
  if (impl_->layout.ranks() < 2) return Duration{0};
  return time_alone(plan(operation, payload), payload, impl_->rates);
}

std::string CommModel::slowest_part(Collective operation, Bytes payload) {
  if (impl_->layout.ranks() < 2) return {};
  Duration longest{0};
  std::string out = "latency";
  for (const CollectiveStage& stage : plan(operation, payload).stages) {
    const Bandwidth links = link_rate(stage, impl_->rates) / stage.scale,
                    rate = std::min(links, stage.ceiling);
    const Duration time = payload / rate;
    if (time <= longest || time < stage.latency) continue;
    longest = time;
    if (stage.ceiling < links) {
      out = impl_->library.on_gpus() ? "the library's own limit" : "one core of the host";
      continue;
    }
    Bandwidth least{std::numeric_limits<double>::infinity()};
    stage.pattern->each([&](const LinkLoad& load, int) {
      const Bandwidth of_link = impl_->rates.of(load.link) / load.bytes;
      if (of_link >= least) return;
      least = of_link;
      out = to_string(impl_->cluster.topology.class_of(load.link).kind);
    });
  }
  return out;
}

const LinkRates& CommModel::rates() const {
  return impl_->rates;
}
const CommSpec& CommModel::spec() const {
  return impl_->spec;
}

bool CommModel::on_gpus() const {
  return impl_->library.on_gpus();
}

std::optional<Bandwidth> CommModel::stack_rate() const {
  return impl_->transport.stack_rate;
}

HopLatency CommModel::step_latency() const {
  return impl_->library.step_latency();
}

double CommModel::log_sigma(std::optional<Bytes> payload) const {
  return impl_->library.log_sigma(payload);
}

}  // namespace rackcast
