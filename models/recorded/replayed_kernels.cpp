#include "models/recorded/replayed_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast {

namespace {

/// A run of the same on the same machine differs by a few per cent: as for a measurement that states no
/// spread (default_measured_spread of scenarios/format/measured_spec.hpp).
constexpr double same_machine_log_sigma = 0.03;

Operator product_of(Flop flop) {
  const auto side = static_cast<std::int64_t>(std::clamp(std::cbrt(flop.base() / 2), 1.0, 1e6));
  Operator op;
  op.name = op.kind = "recorded product";
  op.family = OperatorFamily::gemm;
  op.shape.rows = op.shape.n = op.shape.k = side;
  op.forward_flop = flop;
  return op;
}

Operator pass_over(double elements) {
  Operator op;
  op.name = op.kind = "recorded pass over memory";
  op.family = OperatorFamily::elementwise;
  op.shape.elements_in = op.shape.elements_out = elements / 2;
  return op;
}

Duration modelled(const GpuCostModel& gpu, const Operator& op, Precision precision) {
  return gpu.cost(op, Pass::forward, 1, precision).time;
}

}  // namespace

Duration WorkOn::typical(bool matrix) const {
  constexpr double side = 4096, elements = 64e6;  // so large that starting them takes no time
  return modelled(gpu_, matrix ? product_of(Flop{2 * side * side * side}) : pass_over(elements), precision_);
}

Duration WorkOn::counted(const RecordedTask& task) const {
  Duration longest{0};
  if (task.flop > Flop{0}) longest = modelled(gpu_, product_of(task.flop), precision_);
  if (task.traffic > Bytes{0})
    longest =
        std::max(longest, modelled(gpu_, pass_over(task.traffic / activation_bytes(precision_)), precision_));
  return longest;
}

ReplayedKernels::ReplayedKernels(const ReplaySpec& spec)
    : here_{*spec.gpu, spec.precision}, scale_{spec.compute_scale} {
  if (!spec.recorded) return;
  there_.emplace(*spec.recorded, spec.precision);
  for (const bool matrix : {false, true})
    typical_[matrix ? 1 : 0] = here_.typical(matrix) / there_->typical(matrix);
}

Duration ReplayedKernels::time(const RecordedTask& task) const {
  if (!(task.time > Duration{0})) return here_.counted(task) / scale_;
  if (!there_) return task.time / scale_;
  const bool counted = task.flop > Flop{0} || task.traffic > Bytes{0};
  const double ratio = counted ? here_.counted(task) / there_->counted(task) : typical_[task.matrix ? 1 : 0];
  return task.time * ratio / scale_;
}

double replayed_log_sigma(const RecordedStep& step, const ReplaySpec& spec) {
  const bool timed = std::ranges::all_of(step.ranks, [](const RecordedRank& rank) {
    return std::ranges::all_of(rank.tasks, [](const RecordedTask& task) {
      const bool counted = task.flop > Flop{0} || task.traffic > Bytes{0};
      return task.kind != RecordedKind::kernel || task.time > Duration{0} || !counted;
    });
  });
  double variance = std::pow(same_machine_log_sigma, 2);
  if (!timed || spec.recorded) variance += std::pow(spec.gpu->network_log_sigma(), 2);
  if (spec.recorded) variance += std::pow(spec.recorded->network_log_sigma(), 2);
  return std::sqrt(variance);
}

}  // namespace rackcast
