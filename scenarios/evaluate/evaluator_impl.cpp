#include "scenarios/evaluate/evaluator_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data_path/starvation.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "models/power/gpu_power.hpp"
#include "models/split/split_tables.hpp"
#include "scenarios/evaluate/shared_runs.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/hardware/assumed_wiring.hpp"

namespace rackcast {

namespace {

/// A trainer that a thread-queue loader of varying speed feeds: slower than both.
void add_jitter(TrainingRun& run, const TrainingRun& without_input, Frequency loader, int prefetch) {
  const Duration alone = without_input.parts.total;
  const double fed = fed_fraction(loader.base(), run.samples_per_step / alone.base(), prefetch);
  const Duration total = std::max(run.parts.total, alone / fed);
  run.parts.input_wait += total - run.parts.total;
  run.parts.total = total;
}

/// The slowest stage of the input path.
Frequency loader_rate(const Funnel& funnel) {
  Frequency least{INFINITY};
  for (std::size_t i = 0; i + 1 < funnel.stages.size(); ++i) least = std::min(least, funnel.stages[i].rate);
  return least;
}

}  // namespace

Evaluator::Impl::Impl(const Catalog& c, const RunControl& asked, const Calibration& measured,
                      std::shared_ptr<SharedRuns> taken_from)
    : catalog(c),
      host(input_path_facts()),
      kernels(GpuModelLibrary::builtin()),
      own(measured),
      shared(std::move(taken_from)),
      control(asked) {
  for (const Json& device : own.devices) {
    kernels.add(device);
    ledger.note({doc::Reason{"own_kernels", {{"gpu", device.require("model").string()}}},
                 device.require("source").string(), device.where().file, Trust::fit});
  }
}

Evaluator::Impl::~Impl() = default;

std::optional<CommRefinement> Evaluator::Impl::refinement(const Question& q) {
  const Cluster& asked = cluster(q);
  const auto exact = [&](const MeasuredCurve* curve) {
    return static_cast<int>(asked.ranks.size()) == curve->gpus && asked.used_nodes() == curve->nodes;
  };
  std::vector<const MeasuredCurve*> order;
  for (const MeasuredCurve& curve : own.curves) order.push_back(&curve);
  std::stable_partition(order.begin(), order.end(), exact);
  for (const MeasuredCurve* one : order) {
    const MeasuredCurve& curve = *one;
    if ((curve.nodes > 1) != (asked.used_nodes() > 1)) continue;
    const NodeSpec& spec = node(q.cluster);
    if (!curve.gpu.empty() && curve.gpu != spec.gpu.id) {
      ledger.warn(doc::Reason{"other_gpu_measured",
                              {{"file", curve.file}, {"measured", curve.gpu}, {"gpu", spec.gpu.id}}});
      continue;
    }
    const int local = curve.gpus / curve.nodes;
    if (local > spec.gpus)
      throw Error{fmt::format("{} was measured with {} GPUs in a node, and {} has {}", curve.file, local,
                              spec.name, spec.gpus),
                  q.cluster.where};
    const std::tuple key{curve.file, curve.gpus, curve.nodes, node_key(q.cluster)};
    if (!refinements.contains(key)) {
      ClusterShape shape;
      shape.nodes = curve.nodes;
      shape.gpus_per_node = local;
      shape.fabric = q.cluster.fabric.choice;
      refinements[key] = refine(make_cluster(catalog, spec, shape, comm), {}, curve.points);
      ledger.note({doc::Reason{"own_collectives",
                               {{"node", spec.name},
                                {"latency", refinements[key].latency},
                                {"load", refinements[key].load},
                                {"gpus", curve.gpus},
                                {"nodes", curve.nodes}}},
                   "", curve.file, Trust::fit});
    }
    CommRefinement found = refinements[key];
    // Another number of ranks is the model's word, scaled: its own spread comes on top.
    if (!exact(one)) found.log_sigma = std::hypot(found.log_sigma, CommModel{asked, {}}.log_sigma());
    return found;
  }
  return std::nullopt;
}

const NodeSpec& Evaluator::Impl::node(const ClusterSpec& cluster) {
  const NodeKey key = node_key(cluster);
  if (const auto it = nodes.find(key); it != nodes.end()) return it->second;
  NodeSpec spec = at(cluster.where, [&] {
    return node_spec(catalog, with_ports(NodeChoice{cluster.node, cluster.gpu}, cluster.fabric));
  });
  ledger.note_node(spec);
  if (const auto assumed = assumed_wiring(catalog, cluster.node, spec))
    ledger.warn(doc::Reason{"assumed_wiring", {{"text", assumed->text}}});
  return nodes.emplace(key, std::move(spec)).first->second;
}

const Workload& Evaluator::Impl::workload(const WorkloadSpec& spec) {
  const NetworkKey key = network_key(spec);
  if (const auto it = workloads.find(key); it != workloads.end()) return it->second;
  Workload loaded = at(spec.where, [&] { return network_of(spec); });
  if (spec.tables && !has_split_tables(loaded))
    throw Error{loaded.title + " has no large embedding tables", spec.where,
                "leave \"tables\" out of \"parallelism\""};
  ledger.note_workload(spec, loaded);
  ledger.note_tables(spec, loaded);
  return workloads.emplace(key, std::move(loaded)).first->second;
}

const FrameworkProfile& Evaluator::Impl::framework(const ClusterSpec& cluster, const WorkloadSpec& spec) {
  const FrameworkQuery query = software_of(spec, node(cluster).gpu);
  const SoftwareKey key = software_key(query);
  if (const auto it = frameworks.find(key); it != frameworks.end()) return it->second;
  FrameworkProfile profile = framework_profile(query);
  if (const auto tried = tried_profiles.find(profile.id); tried != tried_profiles.end())
    take_numbers(profile, tried->second);
  ledger.note_framework(spec, query.version, profile);
  return frameworks.emplace(key, std::move(profile)).first->second;
}

const GpuCostModel& Evaluator::Impl::gpu(const ClusterSpec& cluster, const WorkloadSpec& w) {
  const GpuSpec& spec = node(cluster).gpu;
  if (const auto refusal = refused(cluster, w)) throw Error{*refusal};
  const FrameworkProfile& software = framework(cluster, w);
  const std::pair key{spec.id, software.lowering()};
  auto known = gpus.find(key);
  if (known == gpus.end())
    known = gpus.emplace(key, GpuCostModel::create(gpu_rates(spec), software.lowering(), kernels)).first;
  const bool recorded_here = w.graph && w.graph->recorded_on == spec.id;
  if (!recorded_here && noted_gpus.insert(key).second)
    ledger.note_gpu(spec, known->second, workload(w), w.precision);
  return known->second;
}

const StorageFacts& Evaluator::Impl::storage(const StorageSpec& spec) {
  const std::pair key{spec.array, spec.speed};
  if (const auto it = storages.find(key); it != storages.end()) return it->second;
  StorageFacts facts = at(spec.where, [&] { return storage_facts(catalog, spec.array); });
  if (spec.speed == 1)
    ledger.note_storage(facts);
  else
    facts = faster(facts, spec.speed);
  return storages.emplace(key, std::move(facts)).first->second;
}

const Cluster& Evaluator::Impl::cluster(const Question& q) {
  const ClusterSpec& c = q.cluster;
  const bool idle_nodes = q.gpus && exchange(q).servers.apart;
  const ClusterKey key{node_key(c), c.nodes, q.gpus, c.gpus_per_node, idle_nodes, storage_key(q.storage)};
  ++clusters_asked;
  if (const auto it = clusters.find(key); it != clusters.end()) {
    it->second.asked = clusters_asked;
    return it->second.cluster;
  }
  const NodeSpec& spec = node(c);
  Cluster built = at(c.where, [&] {
    ClusterShape shape;
    shape.nodes = c.nodes;
    shape.gpus = q.gpus;
    shape.gpus_per_node = c.gpus_per_node;
    shape.idle_nodes = idle_nodes;
    shape.watch = [this, nodes = c.nodes] {
      look_at_clock();
      if (control.on_building) control.on_building(nodes);
    };
    shape.fabric = c.fabric.choice;
    const bool remote = q.storage.array != "none" && storage(q.storage).kind != StorageKind::local;
    if (remote && (spec.nics < 1 || !spec.nic_link))
      throw Error{fmt::format("{} has no known network port to read {} through", spec.name, q.storage.array),
                  c.where,
                  R"(say which it has, for example "fabric": {"link": "gbe10"}, or take a drive of its own)"};
    if (remote) {
      // A storage server gets as many ports as its read rate needs.
      shape.fabric.storage_servers = q.storage.count;
      constexpr double most = 1e6;  // past what a fabric takes, and still an integer
      const double ports = std::ceil(storage(q.storage).read / spec.nic_link->achievable.value);
      shape.fabric.storage_links = static_cast<int>(std::clamp(ports, 1.0, most));
    }
    return make_cluster(catalog, spec, shape, comm);
  });
  return clusters.emplace(key, HeldCluster{std::move(built), clusters_asked}).first->second.cluster;
}

int Evaluator::Impl::ranks(const Question& q) {
  const int all = q.cluster.nodes * used_in_node(q.cluster, node(q.cluster).gpus);
  return std::min(all, q.gpus.value_or(all));
}

InputContext Evaluator::Impl::input(const Question& q) {
  return {q, node(q.cluster), storage(q.storage), workload(q.workload)};
}

double Evaluator::Impl::global_batch(const Question& q) {
  return q.workload.batch_per_gpu * q.workload.accumulation * ranks(q);
}

double Evaluator::Impl::epochs(const Question& q) {
  if (!q.workload.convergence) return q.workload.epochs;
  ledger.note_convergence(q.workload, workload(q.workload));
  return epochs_at(q.workload, global_batch(q));
}

std::vector<EpochPhase> Evaluator::Impl::phases(const Question& q) {
  if (q.storage.array == "none") return {{epochs(q), {0, 0, 1}}};
  return epoch_phases(cache_spec(input(q)), epochs(q));
}

std::vector<std::pair<EpochPhase, Question>> Evaluator::Impl::stretches(const Question& q) {
  std::vector<std::pair<EpochPhase, Question>> out;
  const double all = epochs(q);
  double begin = 0;
  for (const EpochPhase& phase : phases(q)) {
    const double end = begin + phase.epochs;
    std::vector<double> cuts{begin, end};
    for (const StragglerSpec& s : q.cluster.stragglers) {
      const double from = all - s.epochs.value_or(all);
      if (from > begin && from < end) cuts.push_back(from);
    }
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      Question then = q;
      std::erase_if(then.cluster.stragglers,
                    [&](const StragglerSpec& s) { return all - s.epochs.value_or(all) > cuts[i]; });
      const double epochs = cuts.size() == 2 ? phase.epochs : cuts[i + 1] - cuts[i];
      out.emplace_back(EpochPhase{epochs, phase.hits}, std::move(then));
    }
    begin = end;
  }
  return out;
}

ExchangeSpec Evaluator::Impl::exchange(const Question& q) {
  // Replicas of a split network sum their gradients, whatever the framework does with a whole one.
  if (q.workload.parallelism || q.workload.graph) return exchange_named(q.workload.exchange);
  const FrameworkProfile& software = framework(q.cluster, q.workload);
  ledger.note_exchange(q.workload, workload(q.workload), software);
  return exchange_on(q.workload.exchange, software, used_nodes(q, node(q.cluster)));
}

TrainingSpec Evaluator::Impl::spec(const Question& q, const EpochHits& hits) {
  TrainingSpec spec;
  spec.workload = &workload(q.workload);
  spec.framework = &framework(q.cluster, q.workload);
  spec.gpu = &gpu(q.cluster, q.workload);
  spec.batch_per_gpu = q.workload.batch_per_gpu;
  spec.accumulation = q.workload.accumulation;
  spec.recompute = q.workload.recompute;
  if (!q.workload.parallelism && spec.batch_per_gpu < 1)
    ledger.warn(doc::Reason{"part_of_sample", {{"workload", spec.workload->title}}});
  spec.precision = q.workload.precision;
  spec.adam = optimizer_of(q.workload, *spec.workload) == Optimizer::adam;
  spec.optimizer = q.workload.updates;
  spec.copied_tables = q.workload.tables == TablePlacement::copied;
  spec.exchange = exchange(q);
  for (const StragglerSpec& s : q.cluster.stragglers) {
    spec.stragglers.push_back(s.group);
    ledger.note_stragglers(s, q.cluster.where);
  }
  if (!own.curves.empty()) spec.exchange.comm.refined = refinement(q);
  if (q.storage.array == "none") return spec;
  const InputContext context = input(q);
  spec.input = input_spec(context, hits);
  ledger.note_input(context, host);
  return spec;
}

FactorVector Evaluator::Impl::prior_spread(const Question& q, const TrainingRun& modelled) {
  FactorVector out{};
  out[index_of(Factor::kernels)] = modelled.compute_log_sigma;
  double& exchange = out[index_of(Factor::exchange)];
  exchange = modelled.network_log_sigma;
  if (const auto assumed = assumed_wiring(catalog, q.cluster.node, node(q.cluster)))
    exchange = std::hypot(exchange, assumed->log_sigma);
  out[index_of(Factor::pace)] = modelled.scaling_log_sigma;
  if (q.storage.array != "none") {
    double& input_path = out[index_of(Factor::input)];
    const double store = storage(q.storage).from_memory ? host.storage_log_sigma : 0;
    const bool decodes = workload(q.workload).pixels > 0 || q.input.record_given;
    input_path = std::max(store, decodes ? record_kind(q.input.record).log_sigma : 0);
    if (decodes && q.input.decoder != Decoder::gpu_engine && cores_are_assumed(input(q)))
      input_path = std::hypot(input_path, host.cores_log_sigma);
  }
  return out;
}

/// What the runs before have left of the limits.
Limits Evaluator::Impl::remaining() const {
  Limits limits;
  limits.max_events = control.max_events - std::min(control.max_events, events);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  limits.wall_clock = control.wall_clock - Duration{spent.count()};
  return limits;
}

void Evaluator::Impl::look_at_clock() {
  const bool interrupted = control.cancelled && control.cancelled();
  if (!interrupted && remaining().wall_clock > Duration{0}) return;
  partial = true;
  if (interrupted)
    throw LimitReached{"interrupted before the next training step", {}, {}, ErrorKind::infeasible};
  throw LimitReached{"the wall-clock limit was reached before the next training step",
                     {},
                     "give the run a larger --limit",
                     ErrorKind::infeasible};
}

TrainingRun Evaluator::Impl::simulated(const StepKey& key, const Question& q, TrainingSpec& training,
                                       Tracer* tracer) {
  if (shared && !tracer) {  // even when interrupted: what has been simulated is kept
    if (auto known = shared->find_or_claim(key)) return *known;
  }
  try {
    TrainingRun done = simulate(q, training, tracer);
    if (!shared || tracer) return done;
    if (done.partial) {
      shared->abandon(key);
    } else {
      shared->add(key, done);
    }
    return done;
  } catch (...) {
    if (shared && !tracer) shared->abandon(key);
    throw;
  }
}

TrainingRun Evaluator::Impl::simulate(const Question& q, TrainingSpec& training, Tracer* tracer) {
  const Cluster& machine = cluster(q);
  training.limits = remaining();
  try {
    look_at_clock();
    TrainingRun done = q.workload.graph ? replayed(q, machine, training, tracer)
                       : q.workload.parallelism
                           ? split_over_gpus(q, machine, training, tracer)
                           : at(q.workload.where, [&] { return train(machine, training, tracer); });
    events += done.events;
    ++simulations;
    partial = partial || done.partial;
    if (!shared && control.on_run) control.on_run(simulations);
    return done;
  } catch (const LimitReached&) {
    partial = true;
    throw;
  }
}

double Evaluator::Impl::speed_under_cap(const Question& q) {
  if (!q.site || !q.site->power.gpu_cap) return 1;
  const GpuSpec& gpu_of_node = node(q.cluster).gpu;
  return at(q.site->power.gpu_cap_where, [&] {
    if (!gpu_of_node.tdp)
      throw Error{"the power limit of " + gpu_of_node.name + " is not known, so it cannot be capped"};
    return capped_speed(gpu_power_model(gpu_of_node), gpu_of_node.tdp->value, *q.site->power.gpu_cap);
  });
}

/// What the spec points at, and what is read of the question beside it. Which nodes idle, the exchange says.
StepKey Evaluator::Impl::step_key(const Question& q, const TrainingSpec& training) {
  const ClusterSpec& c = q.cluster;
  return {{node_key(c), c.nodes, q.gpus, c.gpus_per_node, false, storage_key(q.storage)},
          network_key(q.workload),
          graph_key(q.workload),
          software_key(software_of(q.workload, node(q.cluster).gpu)),
          input_key(q.input),
          q.workload.parallelism ? std::optional{split_key(*q.workload.parallelism)} : std::nullopt,
          spec_key(training)};
}

const TrainingRun& Evaluator::Impl::run(const Question& q, const EpochHits& hits, const Scales& scales,
                                        Tracer* tracer, std::uint64_t save_every) {
  if (posterior && !scales.absolute) return run(q, hits, learned(q, hits, scales), tracer, save_every);
  TrainingSpec training = spec(q, hits);
  training.save = save(q, save_every);
  training.fold = control.fold;
  if (!control.fold)
    training.steps = static_cast<std::uint64_t>(std::ceil(q.samples * epochs(q) / global_batch(q)));
  training.compute_scale = scales.compute * speed_under_cap(q);
  training.network_scale = scales.network;
  training.input_scale = scales.input;
  const StepKey key = step_key(q, training);
  if (const auto it = runs.find(key); it != runs.end() && !tracer) return it->second;
  if (hits.storage < 1 && !tracer && !q.input.jitter && !training.save.asked) {
    // Where the GPUs do not wait even for a cold cache, a warm one changes nothing.
    const TrainingRun& cold = run(q, {}, scales);
    if (cold.parts.input_wait <= 1e-4 * cold.parts.total) return cold;
  }
  TrainingRun result = simulated(key, q, training, tracer);
  if (q.workload.parallelism || q.workload.graph) charge_saves(q, training.save, result);
  if (q.input.jitter && q.storage.array != "none") {
    Question bare = q;
    bare.storage.array = "none";
    const TrainingRun& alone = run(bare, {}, scales);
    const Frequency rate{alone.samples_per_step / alone.parts.total.base()};
    add_jitter(result, alone, scales.input * loader_rate(input_funnel(cluster(q), training, rate)),
               q.input.prefetch);
  }
  return runs.insert_or_assign(key, std::move(result)).first->second;
}

std::pair<EpochPhase, Question> Evaluator::Impl::longest(const Question& q) {
  const auto all = stretches(q);
  return *std::ranges::max_element(all, {}, [](const auto& stretch) { return stretch.first.epochs; });
}

const TrainingRun& Evaluator::Impl::steady(const Question& q, const Scales& scales, Tracer* tracer) {
  const auto [phase, then] = longest(q);
  return run(then, phase.hits, scales, tracer);
}

}  // namespace rackcast
