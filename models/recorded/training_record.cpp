/// The record of data-parallel training.
#include <fmt/format.h>

#include <cmath>

#include "models/frameworks/gpu_step.hpp"
#include "models/recorded/rank_record.hpp"
#include "models/recorded/step_record.hpp"
#include "models/split/split_tables.hpp"
#include "models/step/gradient_buckets.hpp"

namespace rackcast {

namespace {

/// Of sums of times.
constexpr double rounding = 1e-9;

/// Operations and bytes of a pass of an operator for a batch.
void count_work(const StepKernel& kernel, double batch, Precision precision, RecordedTask& task) {
  if (!kernel.op) return;
  const Operator& op = *kernel.op;
  if (op.family == OperatorFamily::optimizer) {
    task.traffic = (op.shape.elements_in + op.shape.elements_out) * Bytes{4};
    return;
  }
  task.flop = batch * op.forward_flop;
  task.traffic =
      (batch * (op.shape.elements_in + op.shape.elements_out) + op.parameters) * activation_bytes(precision);
  task.matrix = op.forward_flop > Flop{0};
}

void refuse_exchange(const TrainingSpec& spec) {
  const ExchangeSpec& x = spec.exchange;
  if (x.strategy != ExchangeStrategy::all_reduce) no_record("an exchange of gradients that is no all-reduce");
  if (x.compression != "none") no_record("an exchange of compressed gradients");
  if (splits_tables(spec)) no_record("a network with split tables");
  if (!spec.stragglers.empty()) no_record("training with slower nodes");
}

/// Writes the micro-steps of a rank.
class TrainingRecord {
 public:
  TrainingRecord(const TrainingSpec& spec, int ranks, RecordedRank& rank)
      : spec_{spec},
        ranks_{ranks},
        step_{step_time(*spec.workload, *spec.gpu, *spec.framework, step_options(spec))},
        times_{step_times(spec, ranks)},
        record_{rank} {
    const Duration kernels = step_.input + step_.forward;
    const Duration decode = spec.accumulation * spec.batch_per_gpu * spec.input.gpu_decode;
    const Duration before = kernels + (spec.accumulation - 1) * (kernels + step_.backward) + decode;
    pace_ = before > Duration{0} ? times_.forward / before : 1;
  }

  void write() {
    const auto passes = static_cast<int>(spec_.accumulation);
    for (int pass = 1; pass < passes; ++pass) add_pass(false);
    add_pass(true);
  }

 private:
  [[nodiscard]] RecordedPhase phase_at(Duration end) const {
    if (end <= step_.forward * (1 + rounding)) return RecordedPhase::forward;
    if (end <= (step_.forward + step_.backward) * (1 + rounding)) return RecordedPhase::backward;
    return RecordedPhase::optimizer;
  }

  /// Buckets that back-propagation has filled by then, since the input was there.
  void send(Duration at) {
    if (ranks_ < 2) return;
    for (; sent_ < times_.buckets.size() && ready_ + times_.buckets[sent_].before <= at; ++sent_) {
      ready_ += times_.buckets[sent_].before;
      exchanges_.push_back(record_.exchange(fmt::format("all-reduce of bucket {}", sent_ + 1),
                                            RecordedKind::collective, Collective::all_reduce,
                                            times_.buckets[sent_].gradients, "", record_.behind_kernels()));
    }
  }

  void add_pass(bool last) {
    if (step_.input > Duration{0})
      record_.kernel("forward: copy of the input", RecordedPhase::forward, step_.input * pace_);
    ready_ = step_.forward * pace_;
    Duration before = step_.input;
    for (const StepKernel& kernel : step_.kernels) {
      const Duration end = kernel.end - step_.input;
      const RecordedPhase phase = phase_at(end);
      std::vector<std::size_t> after;
      if (phase == RecordedPhase::optimizer) {
        if (!last) break;
        send(Duration{INFINITY});
        after.swap(exchanges_);
      }
      const std::string name = kernel.op ? kernel.op->name : "update or cast of weights";
      const std::size_t task =
          record_.kernel(fmt::format("{}: {}", word_of(phase), name), phase,
                         std::max(Duration{0}, kernel.end - before) * pace_, std::move(after));
      count_work(kernel, spec_.batch_per_gpu, spec_.precision, record_.task(task));
      before = std::max(before, kernel.end);
      if (last && phase == RecordedPhase::backward) send(end * pace_ * (1 + rounding));
    }
    if (last) send(Duration{INFINITY});
  }

  const TrainingSpec& spec_;
  int ranks_;
  StepTime step_;
  StepTimes times_;
  double pace_ = 1;  ///< of the slowest rank
  RankRecord record_;
  std::size_t sent_ = 0;                ///< buckets
  Duration ready_{0};                   ///< of the last one
  std::vector<std::size_t> exchanges_;  ///< that the update waits for
};

}  // namespace

RecordedStep record_of_training(const TrainingSpec& spec, int ranks) {
  refuse_exchange(spec);
  RecordedStep out;
  out.world = ranks;
  out.ranks.emplace_back().stands_for = ranks;
  TrainingRecord{spec, ranks, out.ranks.front()}.write();
  return out;
}

}  // namespace rackcast
