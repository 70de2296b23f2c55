#include "scenarios/evaluate/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/split/split_tables.hpp"
#include "models/split/utilisation.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/format/parallelism.hpp"
#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

namespace {

/// Changes of ln(figure), the slower and the faster side apart, added in quadrature.
struct Widths {
  double above = 0, below = 0;
  void add(double change) { (change > 0 ? above : below) += change * change; }
  [[nodiscard]] double up() const { return std::exp(std::sqrt(above)); }
  [[nodiscard]] double down() const { return std::exp(-std::sqrt(below)); }
};

/// The stages of the input path vary together; what the GPUs take varies with kernels and collectives, of
/// which `vary(sigma, part, widths)` adds what one does to the time of a step.
template <class Vary>
void add_intervals(Funnel& funnel, const Spread& s, Vary vary) {
  const double input = std::exp(half_of_90_percent * s.input);
  for (FunnelStage& stage : funnel.stages) {
    if (!stage.of_input || s.input <= 0) continue;
    stage.low = stage.rate / input;
    stage.high = input * stage.rate;
  }
  Widths of_step;
  if (s.compute > 0) vary(s.compute, &Scales::compute, of_step);
  if (s.network > 0) vary(s.network, &Scales::network, of_step);
  if (s.scaling > 0) vary(s.scaling, &Scales::compute, of_step);
  FunnelStage& gpus = funnel.stages.back();
  gpus.low = gpus.rate / of_step.up();
  gpus.high = gpus.rate / of_step.down();
}

}  // namespace

Evaluator::Evaluator(const Catalog& catalog, const RunControl& control, const Calibration& own)
    : impl_(std::make_unique<Impl>(catalog, control, own)) {}
Evaluator::Evaluator(const Catalog& catalog, const RunControl& control, const Scenario& scenario)
    : Evaluator(catalog, control, scenario.calibration) {
  if (!scenario.measured.empty()) learn(measured_runs(scenario));
}
Evaluator::~Evaluator() = default;

const TrainingRun& Evaluator::run(const Question& asked, Tracer* tracer) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  return impl_->steady(q, {}, tracer);
}

double Evaluator::epochs(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  return impl_->epochs(q);
}

double Evaluator::steps(const Question& q) {
  return std::ceil(q.samples * epochs(q) / run(q).samples_per_step);
}

std::optional<double> units_of(const NodeFacts& node, int nodes) {
  return node.rack_units ? std::optional(nodes * *node.rack_units) : std::nullopt;
}

std::optional<double> kilowatts_of(const NodeFacts& node, int nodes) {
  return node.max_power ? std::optional(nodes * node.max_power->base() / 1000) : std::nullopt;
}

Question question(const Scenario& s, const WorkloadSpec& w) {
  Question q{s.cluster, w,      s.cluster.gpus_per_job, s.data.samples, s.data.bytes_per_sample,
             s.storage, s.input};
  q.stored_factor = s.data.stored_factor();
  q.site = s.site;
  q.failures = s.failures;
  if (s.goal) q.availability = s.goal->availability;
  return q;
}

std::vector<Question> questions(const Scenario& s) {
  std::vector<Question> out;
  for (const WorkloadSpec& w : s.workloads) {
    if (out.empty() || !s.adds_up())
      out.push_back(question(s, w));
    else
      out.front().then.push_back(w);
  }
  return out;
}

std::vector<Question> one_by_one(const Question& q) {
  std::vector<Question> out{q};
  out.front().then.clear();
  for (const WorkloadSpec& w : q.then) {
    out.push_back(out.front());
    out.back().workload = w;
  }
  return out;
}

Duration Evaluator::time_to_train(const Question& q, bool remember) {
  Duration time{0};
  for (const Question& part : one_by_one(q)) {
    std::optional<Question> kept;
    time += Duration{impl_->seconds(impl_->sized(part, kept), {})};
  }
  if (remember) impl_->known_times.emplace_back(q.cluster.nodes, time);
  return time;
}

Question Evaluator::longest(const Question& q) {
  const std::vector<Question> parts = one_by_one(q);
  if (parts.size() == 1) return parts.front();
  return *std::ranges::max_element(parts, {},
                                   [this](const Question& part) { return time_to_train(part, false); });
}

void Evaluator::replace_profile(const FrameworkProfile& profile) {
  impl_->tried_profiles.insert_or_assign(profile.id, profile);
  impl_->frameworks.clear();
  impl_->runs.clear();
  impl_->splits.clear();
}

void Evaluator::replace_collectives(std::shared_ptr<const CommData> facts) {
  impl_->comm = std::move(facts);
  for (auto& [key, held] : impl_->clusters) replace_comm(held.cluster, impl_->comm);
  impl_->runs.clear();
  impl_->splits.clear();
}

void Evaluator::replace_kernels(const GpuModelLibrary& models) {
  impl_->kernels = models;
  for (const Json& device : impl_->own.devices) impl_->kernels.add(device);
  impl_->gpus.clear();
  impl_->runs.clear();
  impl_->splits.clear();
}

bool Evaluator::partial() const {
  return impl_->partial;
}
const std::vector<std::pair<int, Duration>>& Evaluator::known_times() const {
  return impl_->known_times;
}

NodeFacts Evaluator::node(const ClusterSpec& cluster) {
  const NodeSpec& n = impl_->node(cluster);
  const Bytes memory = n.gpu.available_memory();
  NodeFacts out{n.id, n.name, n.gpu.id, n.gpu.name, n.gpus, memory, {}, {}};
  if (n.rack_units) out.rack_units = n.rack_units->value;
  if (n.max_power) out.max_power = n.max_power->value;
  return out;
}

std::optional<Error> Evaluator::precision_refusal(const ClusterSpec& cluster, const WorkloadSpec& spec) {
  return impl_->refused(cluster, spec);
}

const Cluster& Evaluator::cluster(const Question& q) {
  return impl_->cluster(q);
}

const Catalog& Evaluator::catalog() const {
  return impl_->catalog;
}

const Workload& Evaluator::workload(const WorkloadSpec& spec) {
  return impl_->workload(spec);
}

const RunControl& Evaluator::control() const {
  return impl_->control;
}

ExchangeSpec Evaluator::exchange(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  return impl_->exchange(q);
}

MemoryOptions Evaluator::memory(const Question& asked) {
  const Question q = with_split(asked);
  return memory_options(q.workload, workload(q.workload), impl_->framework(q.cluster, q.workload),
                        impl_->ranks(q));
}

FlopRate Evaluator::peak_rate(const Question& q) {
  return rackcast::peak_rate(impl_->gpu(q.cluster, q.workload).gpu(), q.workload.precision);
}

TableExchange Evaluator::table_exchange(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const TrainingSpec spec = impl_->spec(q, {});
  return rackcast::table_exchange(cluster(q), spec.exchange.comm, *spec.workload, spec.batch_per_gpu,
                                  spec.precision);
}

std::optional<Bytes> Evaluator::storage_capacity(const Question& q) {
  if (q.storage.array == "none") return std::nullopt;
  const StorageFacts& store = impl_->storage(q.storage);
  if (!store.capacity) return std::nullopt;
  const bool parts = store.kind == StorageKind::local && q.input.sharding == Sharding::fixed;
  return (parts ? q.cluster.nodes : 1) * (q.storage.count * *store.capacity);
}

std::optional<FailurePlan> Evaluator::failures(const Question& asked, double rate_scale) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  Scales scales;
  scales.failures = rate_scale;
  return impl_->failures(q, scales);
}

int Evaluator::spares(const Question& q) {
  if (!q.failures) return 0;
  const NodeSpec& node = impl_->node(q.cluster);
  const int nodes = used_nodes(q, node);
  const std::tuple key{node.id, node.gpu.id, nodes, failure_key(*q.failures)};
  auto known = impl_->spares.find(key);
  if (known == impl_->spares.end()) {
    const int spares =
        at(q.failures->where, [&] { return spare_nodes(impl_->catalog, node, nodes, *q.failures); });
    known = impl_->spares.emplace(key, spares).first;
  }
  return std::max(0, known->second - impl_->idle_nodes(q));
}

const Cluster& Evaluator::bought(const Question& q) {
  Question with_spares = q;
  with_spares.cluster.nodes += spares(q);
  return impl_->cluster(with_spares);
}

double Evaluator::waiting_for_storage(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  return impl_->waiting_for_storage(q);
}

std::optional<InputReport> Evaluator::input(const Question& asked) {
  if (asked.storage.array == "none") return std::nullopt;
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const InputContext context = impl_->input(q);
  InputReport out;
  out.cache = cache_spec(context);
  out.sample = q.bytes_per_sample;
  const Duration interval = impl_->save_interval(q);
  for (const auto& [phase, then] : impl_->stretches(q))
    out.phases.push_back({phase, impl_->run_saving(then, phase.hits, {}, interval)});
  const EpochHits& coldest = out.phases.front().phase.hits;
  Question bare = q;
  bare.storage.array = "none";
  const TrainingRun& alone = impl_->run(bare, {}, {});
  const Frequency hungry{alone.samples_per_step / alone.parts.total.base()};
  const TrainingSpec training = impl_->spec(q, coldest);
  out.funnel = input_funnel(impl_->cluster(q), training, hungry);
  add_intervals(out.funnel, impl_->spread(q), [&](double sigma, double Scales::*part, Widths& of_step) {
    for (const double sign : {-1.0, 1.0}) {
      Scales scales;
      scales.*part = std::exp(sign * half_of_90_percent * sigma);
      of_step.add(std::log(impl_->run(bare, {}, scales).parts.total / alone.parts.total));
    }
  });
  out.required = hungry * training.input.stored_sample;
  Frequency storage{INFINITY};
  for (const InputStage& stage : training.input.stages)
    if (stage.name.starts_with("storage"))
      storage = std::min(storage, Frequency{stage.capacity / stage.per_sample});
  out.available = storage * training.input.stored_sample;
  const TrainingRun& last = out.phases.back().run;
  out.checkpoint = interval > Duration{0} ? impl_->save(q, 0).state : Bytes{0};
  out.writes = write_back(context, out.checkpoint > Bytes{0} ? interval : Duration{0}, last.parts.total);
  if (out.checkpoint > Bytes{0}) {
    out.writes.write = last.save.safe;
    out.writes.stall = last.save.stall;
    out.writes.time_factor = 1 + last.save.stall / interval;
  }
  return out;
}

Spread Evaluator::spread(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  return impl_->spread(q);
}
const std::vector<Assumption>& Evaluator::assumptions() const {
  return impl_->ledger.assumptions();
}
const std::vector<doc::Reason>& Evaluator::warnings() const {
  return impl_->ledger.warnings();
}

}  // namespace rackcast
