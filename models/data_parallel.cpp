#include "models/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "models/cluster.hpp"
#include "models/collectives/laid_out.hpp"
#include "models/exchange_plan.hpp"
#include "models/link_merger.hpp"
#include "sim/error.hpp"
#include "topologies/route_loads.hpp"
#include "topologies/routing.hpp"

namespace rackcast {

namespace {

/// Every rank reads 1/n of the samples: stored bytes come from the storage servers (evenly) to a CPU of the
/// rank's node, decoded samples go from there to the GPU.
InputLoads input_loads(const Cluster& cluster) {
  const Topology& topology = cluster.topology;
  Router router{topology};
  RouteLoads loads{router};
  InputLoads out;
  const double share = 1 / static_cast<double>(cluster.ranks.size());
  std::map<DeviceId, double> share_of_cpu;  // of the samples that its loaders read
  for (const DeviceId gpu : cluster.ranks) {
    // The loader of a GPU runs on the socket that the GPU hangs on.
    const DeviceId cpu = router.nearest_cpu(gpu);
    loads.add(cpu, gpu, share);
    share_of_cpu[cpu] += share;
  }
  out.decoded = loads.take();
  const std::vector<DeviceId> servers = topology.devices_of(no_id, DeviceKind::storage);
  for (const auto& [cpu, samples] : share_of_cpu)
    for (const DeviceId server : servers)
      loads.add(server, cpu, samples / static_cast<double>(servers.size()));
  out.stored = loads.take();
  return out;
}

/// What each of `gpus` has an even part of goes to its node, which writes it evenly to the storage servers.
SaveLoads save_loads(const Cluster& cluster, std::span<const DeviceId> gpus) {
  const Topology& topology = cluster.topology;
  Router router{topology};
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

/// Streams through a link share it by bytes. A unit of work of the input is a sample of the global batch, of
/// which a node's port sees 1/nodes, and a GPU's PCIe link, where nothing comes over a port, 1/ranks.
double input_weight(const Cluster& cluster, const TrainingSpec& spec) {
  const double stored = spec.input.stored_sample.base(), decoded = spec.workload->input_bytes.base();
  const bool from_servers = !cluster.topology.devices_of(no_id, DeviceKind::storage).empty();
  if (stored > 0 && from_servers) return cluster.used_nodes() / stored;
  return decoded > 0 ? static_cast<double>(cluster.ranks.size()) / decoded : 1;
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

void add_input(const Cluster& cluster, const InputSpec& in, std::vector<PlanResource>& out) {
  if (in.storage.base() > 0) {
    out.push_back(
        {"storage", "storage read", in.storage.base(), true, 1, {{input_pattern, in.stored_sample.base()}}});
  }
  if (in.decode_per_core.base() > 0 && in.cores_per_node > 0) {
    out.push_back({"host cores",
                   "image decoding on the CPU cores",
                   cluster.used_nodes() * in.cores_per_node * in.decode_per_core.base(),
                   true,
                   1,
                   {{input_pattern, 1.0}}});
  }
  for (const InputStage& stage : in.stages)
    out.push_back({stage.name, stage.what, stage.capacity, true, 1, {{input_pattern, stage.per_sample}}});
}

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
                     flows.stack_rate->base(), false, 1, uses});
    }
    if (number % 2 == 1) continue;
    if (server < flows.servers)
      out.push_back({fmt::format("server{}", server), "adding on a parameter server", servers.add_rate.base(),
                     false, 1, uses});
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
    plan.extra_forward += comm.time(Collective::all_gather, samples * op.shape.elements_out * element);
    if (!op.first_layer)
      plan.extra_backward += comm.time(Collective::reduce_scatter, samples * op.shape.elements_in * element);
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
  const LinkRates rates{topology};
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

DataParallelPlan plan_data_parallel(const Cluster& cluster, const TrainingSpec& spec,
                                    std::span<const GradientBucket> buckets) {
  DataParallelPlan plan;
  plan.ranks = static_cast<int>(cluster.ranks.size());
  if (plan.ranks == 0) throw Error{cluster.node.name + " has no GPU to train on"};
  const ExchangeSpec& x = spec.exchange;
  CommModel comm{cluster, x.comm};
  PatternBook book;
  ExchangeFlows flows = x.strategy == ExchangeStrategy::parameter_server && plan.ranks > 1
                            ? server_flows(cluster, spec, buckets, book)
                            : all_reduce_flows(comm, spec, plan.ranks, buckets, book);
  plan.exchanges = std::move(flows.exchanges);
  plan.streams = flows.streams;
  plan.on_gpus = flows.on_gpus;
  plan.comm_log_sigma = plan.ranks > 1 ? flows.log_sigma : 0;
  plan.patterns = static_cast<int>(book.patterns().size()) + 1;
  const bool saves = spec.save.asked || spec.save.restore;
  if (saves) {
    plan.write_pattern = plan.patterns++;
    plan.copy_pattern = plan.patterns++;
    plan.restore_pattern = plan.patterns++;
    plan.busiest_save = spec.save.busiest(cluster.local_ranks(), plan.ranks);
  }

  std::vector<PatternPart> parts;
  auto& input = cluster.laid_out->input;
  if (!input) input = input_loads(cluster);
  parts.push_back({input_pattern, input->stored, spec.input.stored_sample.base()});
  parts.push_back({input_pattern, input->decoded, spec.workload->input_bytes.base()});
  for (std::size_t p = 0; p < book.patterns().size(); ++p)
    parts.push_back({static_cast<int>(p) + 1, book.patterns()[p].links});
  if (saves && spec.save.write > Bandwidth{0}) add_save_links(cluster, spec.save, plan, parts);
  plan.input_weight = input_weight(cluster, spec);
  merge_links(cluster, comm.rates(), parts, spec, plan.resources);
  add_input(cluster, spec.input, plan.resources);
  add_save_storage(cluster, spec.save, plan, plan.resources);
  add_servers(book, flows, x.servers, plan.resources);
  if (x.ways > 1 && plan.ranks > 1) {
    const Cluster group = first_ranks(cluster, x.ways);
    CommModel inside{group, x.comm};
    add_split_layers(inside, spec, plan);
  }
  return plan;
}

}  // namespace rackcast
