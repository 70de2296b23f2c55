/// Which spreads of models/mechanism_spread.hpp a figure has in quadrature, each whole: what fits of them and
/// intervals without a source are made of.
#include <algorithm>
#include <array>
#include <string_view>

#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/rates_of.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/mlperf_inference.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

using enum Mechanism;

/// Figures that are no ratio, no memory and no rate of storage.
constexpr std::array<std::string_view, 14> figures_of_steps{"images_per_s",
                                                            "samples_per_s",
                                                            "sequences_per_s",
                                                            "tokens_per_s",
                                                            "samples_per_s_per_gpu",
                                                            "tokens_per_s_per_gpu",
                                                            "tflops_per_gpu",
                                                            "fraction_of_peak",
                                                            "mfu",
                                                            "hfu",
                                                            "step_time_s",
                                                            "steps_per_s",
                                                            "epoch_time_s",
                                                            "time_to_train_s"};
constexpr std::array<std::string_view, 3> figures_of_collectives{"all_reduce_time_s", "collective_time_us",
                                                                 "busbw_gb_per_s"};
constexpr std::array<std::string_view, 4> figures_of_answers{
    "output_tokens_per_s", "output_tokens_per_s_per_gpu", "tpot_ms", "itl_ms_median"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Intervals of ratios and of runs with evaluations are put together otherwise. Over settings that the source
/// leaves open, the spreads are those of the interval around the range.
bool is_put_together(const ValidationCase& c) {
  return member_in(c.json, "compared_with") != nullptr || text_in(c.json, "length_from").has_value() ||
         number_in(c.workload.extra, "evaluation_s").value_or(0) > 0;
}

std::vector<Mechanism> of_training(PredictionContext& context, const ValidationCase& c) {
  std::vector<Mechanism> out;
  if (c.system.gpu && scales_losses(gpu_rates(gpu_spec(context.catalog(), *c.system.gpu)), precision_of(c)))
    out.push_back(loss_scaling);
  if (c.one_gpu()) return out;
  const Cluster& cluster = context.cluster(c);
  if (cluster.used_nodes() > 1) out.push_back(several_nodes);
  if (is_split(c) || trains_adapters(c)) {
    const int gpus = gpus_of_copy(context.catalog(), c);
    if (gpus > 1) out.push_back(gpus > cluster.local_ranks() ? split_between_nodes : split_in_node);
  }
  return out;
}

/// Ratios of collectives, and those of a library on host memory, have intervals of their own.
std::vector<Mechanism> of_collective(PredictionContext& context, const ValidationCase& c) {
  if (!is_one_of(figures_of_collectives, c.metric) || context.cluster(c).used_nodes() > 1) return {};
  if (text_in(c.workload.extra, "library").value_or("nccl") != "nccl") return {};
  return {collective_in_node};
}

bool has_split_phases(const ValidationCase& c) {
  return member_in(c.workload.parallelism, "prefill") && member_in(c.workload.parallelism, "decode");
}

std::vector<Mechanism> of_inference(const ValidationCase& c) {
  // Queues change the spreads of passes, so these are not whole in a time to the first token.
  if (c.metric == "ttft_ms")
    return has_split_phases(c) ? std::vector{first_token, split_phases} : std::vector{first_token};
  if (is_one_of(figures_of_answers, c.metric)) return {forward_pass, generation};
  if (c.metric == "speedup") return {};
  if (const auto rules = benchmark_of_case(c); rules && rules->output) return {forward_pass, generation};
  return {forward_pass};
}

}  // namespace

std::vector<Mechanism> mechanisms_of(PredictionContext& context, const ValidationCase& c) {
  try {
    if (is_put_together(c)) return {};
    if (c.workload.task == "inference") return of_inference(c);
    if (c.workload.task == "training" && is_one_of(figures_of_steps, c.metric))
      return of_training(context, c);
    if (c.workload.task == "collective") return of_collective(context, c);
    if (c.metric == "gpu_power_w") return {serving_power};
    if (c.metric == "energy_per_output_token_j") return {forward_pass, generation, serving_power};
    return {};
  } catch (const Unpredictable&) {
    return {};
  }
}

}  // namespace rackcast
