#include "scenarios/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/split_tables.hpp"
#include "scenarios/evaluator_impl.hpp"
#include "scenarios/parallelism.hpp"
#include "sim/error.hpp"

namespace rackcast {

namespace {

constexpr double kNinetyPercent = 1.645;  ///< half width of a 90 % interval in standard deviations

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
  const double input = std::exp(kNinetyPercent * s.input);
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

Duration Evaluator::time_to_train(const Question& asked, bool remember) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const Duration time{impl_->seconds(q, {})};
  if (remember) impl_->known_times.emplace_back(q.cluster.nodes, time);
  return time;
}

Prediction Evaluator::predict(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const TrainingRun& base = run(q);
  const Spread s = impl_->spread(q);
  Question single = q;
  single.cluster.nodes = 1;
  single.cluster.fabric.choice.gang.clear();
  single.cluster.stragglers.clear();
  single.gpus = 1;
  // Of a step with the work of one GPU; replicas of a split network take other batches.
  const TrainingRun& alone = run(single);
  const double more =
      q.workload.parallelism ? base.samples_per_step / base.ranks / alone.samples_per_step : 1;
  const double one_gpu_step = more * alone.parts.total.base();

  const double efficiency = one_gpu_step / base.parts.total.base(), time = impl_->seconds(q, {});
  Widths of_step, of_time, of_efficiency;
  const auto vary = [&](double sigma, double Scales::*part, bool of_one_too = true) {
    if (sigma <= 0) return;
    for (const double sign : {-1.0, 1.0}) {
      Scales scales;
      scales.*part = std::exp(sign * kNinetyPercent * sigma);
      const double step = impl_->steady(q, scales).parts.total.base();
      of_step.add(std::log(step / base.parts.total.base()));
      of_time.add(std::log(impl_->seconds(q, scales) / time));
      const Scales of_one = of_one_too ? scales : Scales{};
      of_efficiency.add(
          std::log(more * impl_->steady(single, of_one).parts.total.base() / step / efficiency));
    }
  };
  vary(s.compute, &Scales::compute);
  vary(s.network, &Scales::network);
  vary(s.input, &Scales::input);
  vary(s.scaling, &Scales::compute, false);
  if (q.failures) vary(failures(q)->node.log_sigma, &Scales::failures);

  const double step = base.parts.total.base(), rate = base.samples_per_step / step;
  Prediction p;
  p.time_to_train = {time, time * of_time.down(), time * of_time.up(), "s"};
  p.samples_per_s = {rate, rate / of_step.up(), rate / of_step.down(), "1/s"};
  p.step_time = {step, step * of_step.down(), step * of_step.up(), "s"};
  // An efficiency above one is possible in the middle (a cache that only many nodes fill), not by spread.
  const double most = std::max(1.0, efficiency);
  p.scaling_efficiency = {efficiency, efficiency * of_efficiency.down(),
                          std::min(most, efficiency * of_efficiency.up()), "1"};
  return p;
}

std::vector<PartSwing> Evaluator::swings(const Question& asked) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const Spread s = impl_->spread(q);
  std::vector<PartSwing> out;
  const auto add = [&](const char* name, double sigma, double Scales::*part) {
    if (sigma <= 0) return;
    PartSwing swing{name, std::exp(kNinetyPercent * sigma), {}, {}};
    Scales scales;
    scales.*part = 1 / swing.factor;
    swing.low = Duration{impl_->seconds(q, scales)};
    scales.*part = swing.factor;
    swing.high = Duration{impl_->seconds(q, scales)};
    out.push_back(std::move(swing));
  };
  add("speed of kernels", s.compute, &Scales::compute);
  add("speed of collectives", s.network, &Scales::network);
  add("pace of nodes together", s.scaling, &Scales::compute);
  add("speed of the input path", s.input, &Scales::input);
  if (q.failures) add("rate of failures", failures(q)->node.log_sigma, &Scales::failures);
  return out;
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
  NodeFacts out{n.id, n.name, n.gpu.id, n.gpus, memory, {}, {}};
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

MemoryOptions Evaluator::memory(const Question& q) {
  const int all = q.cluster.nodes * node(q.cluster).gpus, ranks = std::min(all, q.gpus.value_or(all));
  return memory_options(q.workload, workload(q.workload), impl_->framework(q.cluster, q.workload), ranks);
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
  const std::string key = fmt::format("{}|{}|{}|{}", node.id, node.gpu.id, nodes, q.failures->key());
  const auto known = impl_->spares.find(key);
  if (known != impl_->spares.end()) return known->second;
  const int spares =
      at(q.failures->where, [&] { return spare_nodes(impl_->catalog, node, nodes, *q.failures); });
  return impl_->spares.emplace(key, spares).first->second;
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
      scales.*part = std::exp(sign * kNinetyPercent * sigma);
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
const std::vector<std::string>& Evaluator::warnings() const {
  return impl_->ledger.warnings();
}

}  // namespace rackcast
