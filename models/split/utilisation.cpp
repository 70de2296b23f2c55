#include "models/split/utilisation.hpp"

namespace rackcast {

TrainingArithmetic training_arithmetic(const Workload& workload, Recomputation recompute) {
  Flop needed = 3 * workload.forward_flop(), again{0};
  for (const Operator& op : workload.operators) {
    if (op.frozen && op.family != OperatorFamily::attention) needed = needed - op.forward_flop;
    if (recompute == Recomputation::full && op.name != "vocabulary") again += op.forward_flop;
    if (recompute == Recomputation::selective && op.family == OperatorFamily::attention)
      again += op.forward_flop;
  }
  return {needed, needed + again};
}

FlopRate peak_rate(const GpuRates& gpu, Precision precision) {
  const FlopRate half = gpu.fp16_tensor > FlopRate{0} ? gpu.fp16_tensor : gpu.fp32;
  switch (precision) {
    case Precision::fp32:
      return gpu.fp32;
    case Precision::tf32:
      return gpu.tf32_tensor;
    case Precision::fp16:
      return gpu.fp16_tensor > FlopRate{0} ? gpu.fp16_tensor : gpu.fp16;
    case Precision::bf16:
      return gpu.bf16_tensor > FlopRate{0} ? gpu.bf16_tensor : half;
    case Precision::fp8:
      return gpu.fp8_tensor;
    case Precision::int8:
      return gpu.int8;
    case Precision::fp4:
      return gpu.fp4_tensor;
    case Precision::mixed:
      break;
  }
  return half;
}

}  // namespace rackcast
