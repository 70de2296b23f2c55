#include <array>
#include <cmath>

#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::string_view several_training = "several GPUs: no rule for this figure yet";
constexpr std::string_view several_inference = "several GPUs: how they share the samples is not stated";

using enum Scale;

// To add a kind of figure: one function and one line, before the "*" rows of its task.
constexpr std::array all_rules{
    // One GPU.
    PredictionRule{"training", "images_per_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "samples_per_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "sequences_per_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "samples_per_s_per_gpu", one_gpu, predict_training, {}},
    PredictionRule{"training", "tokens_per_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "tokens_per_s_per_gpu", one_gpu, predict_training, {}},
    PredictionRule{"training", "step_time_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "forward_time_s", one_gpu, predict_forward, {}},
    PredictionRule{"training", "backward_time_s", one_gpu, predict_backward, {}},
    PredictionRule{"training", "gpu_tflop_per_s", one_gpu, predict_flop_rate, {}},
    PredictionRule{"training", "tflops_per_gpu", one_gpu, predict_flop_rate, {}},
    PredictionRule{"training", "fraction_of_peak", one_gpu, predict_peak_fraction, {}},
    PredictionRule{"training", "time_to_train_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "largest_batch", one_gpu, predict_largest_batch, {}},
    PredictionRule{"training", "epoch_time_s", one_gpu, predict_training, {}},
    PredictionRule{"training", "speedup", one_gpu, predict_scaling, {}},
    PredictionRule{"forward", "forward_time_s", one_gpu, predict_forward, {}},
    PredictionRule{"backward", "backward_time_s", one_gpu, predict_backward, {}},
    PredictionRule{"inference", "images_per_s", one_gpu, predict_throughput, {}},
    PredictionRule{"inference", "sequences_per_s", one_gpu, predict_throughput, {}},
    PredictionRule{"inference", "samples_per_s", any, predict_benchmark_samples, {}},
    PredictionRule{"inference", "forward_time_s", one_gpu, predict_forward, {}},
    PredictionRule{"inference", "speedup", one_gpu, predict_speedup, {}},
    PredictionRule{"inference", "output_tokens_per_s", any, predict_generation, {}},
    PredictionRule{"inference", "output_tokens_per_s_per_gpu", any, predict_generation, {}},
    PredictionRule{"inference", "ttft_ms", any, predict_first_token, {}},
    PredictionRule{"inference", "tpot_ms", any, predict_token_time, {}},
    PredictionRule{"inference", "itl_ms_median", any, predict_token_gap, {}},
    PredictionRule{"inference", "latency_s", any, nullptr, "serving: no model of latency under load yet"},
    PredictionRule{"inference", "requests_per_s", any, nullptr,
                   "serving: no model of a server's batching yet"},
    // Kernels.
    PredictionRule{"kernel", "kernel_time_s", one_gpu, predict_kernel, {}},
    PredictionRule{"kernel", "gemm_tflops", one_gpu, predict_gemm_rate, {}},
    PredictionRule{"kernel", "gemm_tflops_max", one_gpu, predict_gemm_rate, {}},
    PredictionRule{"kernel", "layer_gemm_time_us", any, predict_layer_gemms, {}},
    PredictionRule{"kernel", "attention_tflops", any, nullptr,
                   "attention kernels alone have no stated shape"},
    PredictionRule{"kernel", "memory_gb_per_s", one_gpu, predict_stream, {}},
    PredictionRule{"kernel", "copy_gb_per_s", one_gpu, predict_host_copy, {}},
    PredictionRule{"kernel", "host_to_device_gb_per_s", one_gpu, predict_host_copy, {}},
    PredictionRule{"kernel", "device_to_host_gb_per_s", one_gpu, predict_host_copy, {}},
    PredictionRule{"kernel", "*", any, nullptr, "a figure of a kernel that has no model"},
    // Several GPUs.
    PredictionRule{"training", "memory_gib_per_gpu", any, predict_split_memory, {}},
    PredictionRule{"training", "memory_gb_per_gpu", any, predict_gpu_memory, {}},
    PredictionRule{"training", "out_of_memory", any, predict_out_of_memory, {}},
    PredictionRule{
        "training", "activation_memory_fraction_of_tp_baseline", any, predict_activation_fraction, {}},
    PredictionRule{"training", "gpu_hours", any, predict_gpu_hours, {}},
    PredictionRule{"training", "storage_read_mb_per_s", any, predict_storage_read, {}},
    PredictionRule{"training", "network_send_mb_per_s", several, predict_network_send, {}},
    PredictionRule{"training", "network_required_gbit_per_s", several, nullptr,
                   "network requirement: an estimate of the authors, nothing that was measured"},
    PredictionRule{"training", "images_per_s", several, predict_training, {}},
    PredictionRule{"training", "samples_per_s", several, predict_training, {}},
    PredictionRule{"training", "sequences_per_s", several, predict_training, {}},
    PredictionRule{"training", "tokens_per_s", several, predict_training, {}},
    PredictionRule{"training", "samples_per_s_per_gpu", several, predict_training, {}},
    PredictionRule{"training", "tokens_per_s_per_gpu", several, predict_training, {}},
    PredictionRule{"training", "tflops_per_gpu", several, predict_flop_per_gpu, {}},
    PredictionRule{"training", "fraction_of_peak", several, predict_peak_fraction, {}},
    PredictionRule{"training", "mfu", several, predict_flop_per_gpu, {}},
    PredictionRule{"training", "hfu", several, predict_flop_per_gpu, {}},
    PredictionRule{"training", "step_time_s", several, predict_training, {}},
    PredictionRule{"training", "steps_per_s", several, predict_training, {}},
    PredictionRule{"training", "epoch_time_s", several, predict_training, {}},
    PredictionRule{"training", "time_to_train_s", several, predict_training, {}},
    PredictionRule{"training", "speedup", several, predict_scaling, {}},
    PredictionRule{"training", "scaling_efficiency", several, predict_scaling, {}},
    PredictionRule{"training", "*", several, nullptr, several_training},
    PredictionRule{"inference", "*", several, nullptr, several_inference},
    // Collectives.
    PredictionRule{"collective", "all_reduce_time_s", any, predict_collective_time, {}},
    PredictionRule{"collective", "collective_time_us", any, predict_collective_time, {}},
    PredictionRule{"collective", "all_reduce_total_time_s", any, predict_total_all_reduce, {}},
    PredictionRule{"collective", "busbw_gb_per_s", any, predict_bus_bandwidth, {}},
    PredictionRule{"collective", "p2p_gb_per_s", any, predict_peer_bandwidth, {}},
    PredictionRule{"collective", "p2p_bidirectional_gb_per_s", any, predict_peer_bandwidth, {}},
    PredictionRule{"collective", "*", any, nullptr, "a figure of a collective that has no model"},
    PredictionRule{"storage", "checkpoint_bytes", any, predict_checkpoint, {}},
    PredictionRule{"storage", "storage_gb_per_s", any, predict_drive_rate, {}},
    PredictionRule{"storage", "accelerator_utilisation", any, predict_utilisation, {}},
    PredictionRule{"storage", "*", any, nullptr, "storage: the drives or servers are not stated"},
    PredictionRule{"reliability", "mttf_h", any, predict_mttf, {}},
    PredictionRule{"reliability", "interruptions_in_54_days", any, predict_interruptions, {}},
    PredictionRule{"reliability", "failures_per_1000_node_days", any, predict_failure_rate, {}},
    PredictionRule{"reliability", "machine_failures_per_day", any, predict_machine_failures, {}},
    PredictionRule{"reliability", "effective_training_fraction", any, predict_effective_time, {}},
    PredictionRule{"reliability", "checkpoint_interval_s", any, predict_checkpoint_interval, {}},
    PredictionRule{"reliability", "*", any, nullptr, "reliability: no model of this figure"},
    PredictionRule{"power", "node_power_mean_w", any, predict_node_power, {}},
    PredictionRule{"power", "node_power_peak_w", any, predict_node_power, {}},
    PredictionRule{"power", "node_power_fraction_of_rating", any, nullptr,
                   "power: the model's host was fitted on this figure"},
    PredictionRule{"power", "energy_to_train_j", any, predict_run_energy, {}},
    PredictionRule{"power", "gpu_power_w", any, predict_serving_power, {}},
    PredictionRule{"power", "energy_per_output_token_j", any, predict_token_energy, {}},
    PredictionRule{"power", "*", any, nullptr, "power: energy of networks has no rule yet"},
    PredictionRule{"*", "*", any, nullptr, ""},
};

bool matches(const PredictionRule& rule, const ValidationCase& c) {
  if (rule.task != "*" && rule.task != c.workload.task) return false;
  if (rule.metric != "*" && rule.metric != c.metric) return false;
  const bool more = c.system.gpus && *c.system.gpus > 1;
  return rule.scale == any || (rule.scale == one_gpu ? c.one_gpu() : more);
}

std::string why_not(const PredictionRule& rule, const ValidationCase& c) {
  if (!rule.reason.empty()) return std::string{rule.reason};
  if (!c.system.gpus) return "number of GPUs not stated";
  return "no rule for metric \"" + c.metric + "\" of task \"" + c.workload.task + "\"";
}

}  // namespace

const PredictionRule& rule_for(const ValidationCase& c) {
  for (const PredictionRule& rule : all_rules)
    if (matches(rule, c)) return rule;
  return all_rules.back();
}

PredictedFigure predict_by_rule(PredictionContext& context, const ValidationCase& c) {
  const PredictionRule& rule = rule_for(c);
  if (rule.predict == nullptr) throw Unpredictable{why_not(rule, c)};
  return rule.predict(context, c);
}

PredictionOutcome predict_case(PredictionContext& context, const ValidationCase& c) {
  try {
    const PredictedFigure figure = predict_combined(context, c);
    if (!std::isfinite(figure.value) || !std::isfinite(figure.low) || !std::isfinite(figure.high) ||
        figure.value < 0 || (figure.value == 0 && c.metric != "out_of_memory"))
      return {std::nullopt, "the prediction is out of range"};
    return {figure, {}};
  } catch (const Unpredictable& u) {
    return {std::nullopt, u.reason};
  } catch (const Error& e) {
    // The hint names what would be possible, such as the precisions that a GPU supports.
    return {std::nullopt, e.hint().empty() ? e.message() : e.message() + " (" + e.hint() + ")"};
  }
}

}  // namespace rackcast
