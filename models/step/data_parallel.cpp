#include "models/step/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/collectives/laid_out.hpp"
#include "models/step/exchange_plan.hpp"
#include "models/step/input_resources.hpp"
#include "models/step/link_merger.hpp"
#include "sim/base/error.hpp"
#include "topologies/routing/route_loads.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

namespace {

/// What each of `gpus` has an even part of goes to its node, which writes it evenly to the storage servers.
SaveLoads save_loads(const Cluster& cluster, std::span<const DeviceId> gpus) {
  const Topology& topology = cluster.topology;
  Router router{topology, {.watch = cluster.watch}};
  RouteLoads loads{router};
  SaveLoads out;
  const double share = 1 / static_cast<double>(gpus.size());
  std::map<DeviceId, double> share_of_cpu;
  for (const DeviceId gpu : gpus) {
    const DeviceId cpu = router.nearest_cpu(gpu);
    loads.add(gpu, cpu, share);
    share_of_cpu[cpu] += share;
  }
  out.copy = loads.take();
  const std::vector<DeviceId> servers = topology.devices_of(no_id, DeviceKind::storage);
  for (const auto& [cpu, part] : share_of_cpu)
    for (const DeviceId server : servers) loads.add(cpu, server, part / static_cast<double>(servers.size()));
  out.write = loads.take();
  return out;
}

/// By the slowest link of each pattern; by the slowest of all resources where it takes no link. `links`: of
/// the resources, the first so many.
std::vector<double> byte_weights(const std::vector<PlanResource>& resources, std::size_t links,
                                 int patterns) {
  struct Slowest {
    double time = 0, units = 1;
    bool link = false;
  };
  std::vector<Slowest> slowest(static_cast<std::size_t>(patterns));
  for (std::size_t i = 0; i < resources.size(); ++i) {
    for (const auto& [pattern, units] : resources[i].uses) {
      Slowest& known = slowest[static_cast<std::size_t>(pattern)];
      const double time = units / resources[i].capacity;
      const bool link = i < links;
      if (units > 0 && (link || !known.link) && time > known.time) known = {time, units, link};
    }
  }
  std::vector<double> out;
  for (const Slowest& s : slowest) out.push_back(1 / s.units);
  return out;
}

/// Links that the state takes on its way out and back. Read back, it goes once to each node and from there
/// to each of its GPUs; what is divided, to the GPU that owns it alone.
void add_save_links(const Cluster& cluster, const SaveSpec& save, const DataParallelPlan& plan,
                    std::vector<PatternPart>& parts) {
  const auto add = [&](const SaveLoads& loads, double share) {
    // Where training waits for the write, copy and write are one stream.
    parts.push_back({plan.write_pattern, loads.write, share});
    if (!save.asynchronous) parts.push_back({plan.write_pattern, loads.copy, share});
    parts.push_back({plan.copy_pattern, loads.copy, share});
  };
  LaidOut& known = *cluster.laid_out;
  // Replicas hold the same state: the first GPU's node writes it.
  if (!known.save) known.save = save_loads(cluster, std::span{cluster.ranks}.first(1));
  const double divided = save.divided_share(), same = 1 - divided;
  add(*known.save, same);
  if (divided > 0) {
    if (!known.divided_save) known.divided_save = save_loads(cluster, cluster.ranks);
    add(*known.divided_save, divided);
  }
  parts.push_back({plan.restore_pattern, known.input->stored, same * cluster.used_nodes() + divided});
  parts.push_back({plan.restore_pattern, known.input->decoded, same * plan.ranks + divided});
}

/// The storage serves reads of samples, writes of the state and reads of it, one at the cost of the others.
void add_save_storage(const Cluster& cluster, const SaveSpec& save, const DataParallelPlan& plan,
                      std::vector<PlanResource>& out) {
  if (!(save.write > Bandwidth{0})) return;
  auto known = std::ranges::find(out, "storage", &PlanResource::name);
  if (known == out.end())
    known = out.insert(known, PlanResource{"storage", "storage read", save.read.base(), true, 1, {}});
  PlanResource& storage = *known;
  // Drives of their own serve the node with the most to do, a shared storage all of them.
  const double divided = save.divided_share();
  const double written = save.local ? plan.busiest_save : 1;
  const double read = save.local ? plan.busiest_save : (1 - divided) * cluster.used_nodes() + divided;
  storage.uses.emplace_back(plan.write_pattern, written * storage.capacity / save.write.base());
  storage.uses.emplace_back(plan.restore_pattern, read * storage.capacity / save.read.base());
}

// Counterparts; links have positive numbers.
constexpr int server_sums = -1, server_stacks = -2;

void add_servers(const PatternBook& book, const ExchangeFlows& flows, const ServerSpec& servers,
                 std::vector<PlanResource>& out) {
  std::map<int, std::vector<std::pair<int, double>>> by_server;
  for (std::size_t p = 0; p < book.patterns().size(); ++p)
    for (const auto& [server, bytes] : book.patterns()[p].servers)
      by_server[server].emplace_back(static_cast<int>(p) + 1, bytes);
  for (const auto& [number, uses] : by_server) {
    const int server = number / 2;
    if (number % 2 == 1 && flows.stack_rate) {
      out.push_back({fmt::format("server{} stack", server), "the network stack of a parameter server",
                     flows.stack_rate->base(), false, 1, uses, server_stacks});
    }
    if (number % 2 == 1) continue;
    if (server < flows.servers)
      out.push_back({fmt::format("server{}", server), "adding on a parameter server", servers.add_rate.base(),
                     false, 1, uses, server_sums});
  }
}

/// What GPUs over which layers are split wait for: outputs are gathered going forward, gradients of inputs
/// are summed going back (A. Krizhevsky, "One weird trick", arXiv:1404.5997, 2014).
void add_split_layers(CommModel& comm, const TrainingSpec& spec, DataParallelPlan& plan) {
  const ExchangeSpec& x = spec.exchange;
  const bool split = x.strategy == ExchangeStrategy::model_parallel ||
                     (x.strategy == ExchangeStrategy::hybrid && !x.factors);
  if (!split || x.ways < 2) return;
  for (const Operator& op : spec.workload->operators) {
    if (op.trained_parameters() <= 0) continue;
    if (x.strategy == ExchangeStrategy::hybrid && op.family != OperatorFamily::gemm) continue;
    const double samples = spec.batch_per_gpu * x.ways;
    const Bytes element = activation_bytes(spec.precision);
    const auto wait = [&](Collective operation, double elements) {
      return comm.time(operation, samples * elements * element) / spec.network_scale;
    };
    plan.extra_forward += wait(Collective::all_gather, op.shape.elements_out);
    if (!op.first_layer) plan.extra_backward += wait(Collective::reduce_scatter, op.shape.elements_in);
  }
}

}  // namespace

double PlanResource::use_by(int pattern) const {
  for (const auto& [number, units] : uses)
    if (number == pattern) return units;
  return 0;
}

Bandwidth image_copy_rate(const Cluster& cluster, Bandwidth alone) {
  const Topology& topology = cluster.topology;
  const LinkRates rates{cluster};
  Router router{topology};
  const int node = topology.device(cluster.ranks.front()).node;
  const std::vector<DeviceId> cpus = topology.devices_of(node, DeviceKind::cpu);
  if (cpus.empty()) return alone;
  std::map<LinkId, double> copies;
  for (const DeviceId gpu : cluster.ranks) {
    if (topology.device(gpu).node != node) break;
    for (const Hop& hop : router.route(cpus.front(), gpu).hops) copies[hop.link] += hop.share;
  }
  Bandwidth least = alone;
  for (const auto& [link, count] : copies) least = std::min(least, rates.of(link) / std::max(1.0, count));
  return least;
}

namespace {

/// Flows of all crews; what is true of one is true of all.
ExchangeFlows exchange_flows(const Cluster& cluster, const TrainingSpec& spec, const std::vector<Crew>& crews,
                             std::span<const GradientBucket> buckets, PatternBook& book,
                             DataParallelPlan& plan) {
  const bool servers = spec.exchange.strategy == ExchangeStrategy::parameter_server && plan.ranks > 1;
  ExchangeFlows all;
  for (const Crew& crew : crews) {
    ExchangeFlows flows = servers ? server_flows(cluster, spec, crew, buckets, book)
                                  : all_reduce_flows(cluster, spec, buckets, book);
    plan.crews.push_back({static_cast<int>(crew.ranks.size()), crew.pace, input_pattern, flows.exchanges});
    all = std::move(flows);
  }
  plan.streams = all.streams;
  plan.on_gpus = all.on_gpus;
  plan.comm_log_sigma = plan.ranks > 1 ? all.log_sigma : 0;
  plan.patterns = static_cast<int>(book.patterns().size()) + 1;
  for (std::size_t c = 1; c < plan.crews.size(); ++c) plan.crews[c].input = plan.patterns++;
  return all;
}

/// What input and exchange take of the links.
std::vector<PatternPart> link_parts(const Cluster& cluster, const TrainingSpec& spec,
                                    const std::vector<Crew>& crews, const PatternBook& book,
                                    const DataParallelPlan& plan) {
  std::vector<PatternPart> parts = input_parts(cluster, spec, crews, plan);
  for (std::size_t p = 0; p < book.patterns().size(); ++p)
    for (const auto& [links, factor] : book.patterns()[p].links)
      parts.push_back({static_cast<int>(p) + 1, links, factor});
  return parts;
}

}  // namespace

DataParallelPlan plan_data_parallel(const Cluster& cluster, const TrainingSpec& spec,
                                    std::span<const GradientBucket> buckets) {
  DataParallelPlan plan;
  plan.ranks = static_cast<int>(cluster.ranks.size());
  if (plan.ranks == 0) throw Error{cluster.node.name + " has no GPU to train on"};
  const ExchangeSpec& x = spec.exchange;
  // Layers cannot be split over a number that does not divide the GPUs: first_ranks says so.
  std::optional<Cluster> group;
  if (x.ways > 1 && plan.ranks > 1) group.emplace(first_ranks(cluster, x.ways));
  const std::vector<Crew> crews = crews_of(cluster, spec);
  PatternBook book;
  const ExchangeFlows flows = exchange_flows(cluster, spec, crews, buckets, book, plan);
  const bool saves = spec.save.asked || spec.save.restore;
  if (saves) {
    plan.write_pattern = plan.patterns++;
    plan.copy_pattern = plan.patterns++;
    plan.restore_pattern = plan.patterns++;
    plan.busiest_save = spec.save.busiest(cluster.local_ranks(), plan.ranks);
  }
  std::vector<PatternPart> parts = link_parts(cluster, spec, crews, book, plan);
  if (saves && spec.save.write > Bandwidth{0}) add_save_links(cluster, spec.save, plan, parts);
  const CommModel comm{cluster, x.comm};
  merge_links(cluster, comm.rates(), parts, spec, plan.resources);
  const std::size_t links = plan.resources.size();
  add_input(cluster, spec.input, crews, plan);
  add_save_storage(cluster, spec.save, plan, plan.resources);
  add_servers(book, flows, x.servers, plan.resources);
  plan.weights = byte_weights(plan.resources, links, plan.patterns);
  if (group) {
    CommModel inside{*group, x.comm};
    add_split_layers(inside, spec, plan);
  }
  return plan;
}

}  // namespace rackcast
