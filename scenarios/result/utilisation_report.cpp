#include "scenarios/result/utilisation_report.hpp"

#include "models/networks/low_rank.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/utilisation.hpp"
#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

namespace {

Estimate estimate_times(const Estimate& e, double factor, const char* unit) {
  return {e.value * factor, e.low * factor, e.high * factor, unit};
}

}  // namespace

std::optional<Utilisation> utilisation(Evaluator& evaluator, const Question& asked,
                                       const Prediction& prediction) {
  const Question q = evaluator.with_split(asked);
  const Workload& workload = evaluator.workload(q.workload);
  if (!workload.transformer) return std::nullopt;
  const Recomputation recompute =
      q.workload.parallelism ? q.workload.parallelism->recompute : Recomputation::none;
  const TrainingArithmetic of_sample =
      training_arithmetic(with_adapters(workload, q.workload.adapters), recompute);
  const double gpus = evaluator.run(q).ranks;
  Utilisation out;
  out.tokens_per_sample = static_cast<double>(workload.transformer->seq_len);
  out.model_flop_per_token = of_sample.model / out.tokens_per_sample;
  out.hardware_flop_per_token = of_sample.hardware / out.tokens_per_sample;
  const Estimate& rate = prediction.samples_per_s;
  out.tokens_per_s = estimate_times(rate, out.tokens_per_sample, "1/s");
  out.tokens_per_s_per_gpu = estimate_times(rate, out.tokens_per_sample / gpus, "1/s");
  out.peak = evaluator.peak_rate(q);
  if (!(out.peak > FlopRate{0})) return out;
  out.mfu = estimate_times(rate, of_sample.model.base() / (gpus * out.peak.base()), "1");
  out.hfu = estimate_times(rate, of_sample.hardware.base() / (gpus * out.peak.base()), "1");
  return out;
}

}  // namespace rackcast
