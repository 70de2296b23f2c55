#pragma once
/// Predicts published figures from system and workload alone.
///
/// What is asked (task, metric, one GPU or several) selects a rule from one table (prediction_rules.cpp). A
/// rule computes the figure or says why it cannot; a kind of figure that has no model yet is a rule too, with
/// its reason, so nothing is dropped in silence.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/precision_support.hpp"
#include "models/mechanism_spread.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/fitted_constants.hpp"
#include "scenarios/validation/report.hpp"

namespace rackcast {

struct PredictionOutcome {
  std::optional<PredictedFigure> figure;
  std::string skipped_reason;  ///< empty when there is a figure
};

/// Name of what served the requests of a case, as server_habits() knows it. Throughput "offline, saturated"
/// of TensorRT-LLM is what its overviews print, of trtllm-bench.
std::string server_name_of(const ValidationCase& c);

/// Catalogue, networks and GPU models, each made once.
class PredictionContext {
 public:
  explicit PredictionContext(const Catalog& catalog, const FittedConstants& constants = {});

  [[nodiscard]] const Catalog& catalog() const { return catalog_; }
  /// Throws Unpredictable for an unknown GPU or one without the needed facts.
  const GpuCostModel& gpu(const std::string& id, const FrameworkProfile& software);
  /// The network of a case, with its input size. Throws Unpredictable.
  const Workload& workload(const ValidationCase& c);
  /// The machine of a case, until the next case is predicted. Throws Unpredictable.
  const Cluster& cluster(const ValidationCase& c);
  /// What the case ran on. Throws Unpredictable.
  [[nodiscard]] FrameworkProfile profile(const ValidationCase& c) const;
  /// What the case's server program does.
  [[nodiscard]] ServerHabits server(const ValidationCase& c) const;
  /// Name of the architecture of its GPU, "Volta"; empty where the catalogue lacks the GPU.
  [[nodiscard]] std::string generation(const ValidationCase& c) const;
  /// Answers the scenarios that cases become; every case asks the same one.
  Evaluator& evaluator() { return evaluator_; }
  /// From now on the profile with this id has these numbers: how a fit tries them.
  void replace_profile(const FrameworkProfile& profile);
  /// And collectives these links in place of models/data/collectives/links.json.
  void replace_links(const Json& links);
  /// Cases that others name; they must outlive the context. Of two with one id the first counts.
  void know(std::span<const ValidationCase> cases);
  /// nullptr where there is none with this id.
  [[nodiscard]] const ValidationCase* known(const std::string& id) const;

 private:
  const Catalog& catalog_;
  Evaluator evaluator_;
  GpuModelLibrary fitted_ = GpuModelLibrary::builtin();
  std::map<std::pair<std::string, LoweringOptions>, std::unique_ptr<GpuCostModel>> gpus_;
  std::map<std::string, std::unique_ptr<Workload>> workloads_;
  std::map<std::string, FrameworkProfile> replaced_;  ///< by id
  std::set<std::string> unseen_servers_;
  std::map<std::string, const ValidationCase*> known_;
  std::shared_ptr<const CommData> comm_ = shipped_comm_data();
};

/// Throws Unpredictable where models/data/precisions.json refuses the precision on this GPU, with its reason:
/// what a scenario of the same run would be refused with. Forward passes alone of `mixed` are products in 16
/// bits, so they need what fp16 needs.
void require_precision(const GpuCostModel& gpu, Precision precision, PrecisionUse use);

/// A rule gives the figure in the unit of the metric, or throws Unpredictable (or Error).
using PredictFunction = PredictedFigure (*)(PredictionContext&, const ValidationCase&);

enum class Scale { one_gpu, several, any };

struct PredictionRule {
  std::string_view task, metric;  ///< "*" for any
  Scale scale = Scale::any;
  PredictFunction predict = nullptr;
  std::string_view reason;  ///< why there is no prediction, when `predict` is null
};

/// First match wins; the last row matches everything.
const PredictionRule& rule_for(const ValidationCase& c);

/// The figure of the first rule that matches. Throws Unpredictable where it has none.
PredictedFigure predict_by_rule(PredictionContext& context, const ValidationCase& c);
/// With what cases say of ranges, comparisons and lengths (combined_case.cpp).
PredictedFigure predict_combined(PredictionContext& context, const ValidationCase& c);

/// Never throws for what a case holds.
PredictionOutcome predict_case(PredictionContext& context, const ValidationCase& c);
/// The same for a case that something is fitted on. Throws Error with the place of a case without a figure,
/// or whose measurement is no positive number.
PredictedFigure figure_to_fit(PredictionContext& context, const ValidationCase& c);

/// value with the 90 % interval of a log-normal spread: value * exp(+-1.645 log_sigma).
PredictedFigure figure_of(double value, double log_sigma, std::string binds = {});
/// The spread of a figure, from its interval.
double log_sigma_of(const PredictedFigure& figure);
/// In another unit.
PredictedFigure scaled(PredictedFigure figure, double factor);

/// The spreads of mechanisms that the figure of the case has in quadrature (mechanism_case.cpp). Empty where
/// its interval is put together otherwise.
std::vector<Mechanism> mechanisms_of(PredictionContext& context, const ValidationCase& c);

// Training, by the scenario of the case (scenario_case.cpp).
PredictedFigure predict_training(PredictionContext&, const ValidationCase&);

// One GPU (single_gpu.cpp).
PredictedFigure predict_throughput(PredictionContext&, const ValidationCase&);
PredictedFigure predict_forward(PredictionContext&, const ValidationCase&);
PredictedFigure predict_backward(PredictionContext&, const ValidationCase&);
PredictedFigure predict_speedup(PredictionContext&, const ValidationCase&);

// Token by token, one GPU or several (generation_case.cpp).
PredictedFigure predict_generation(PredictionContext&, const ValidationCase&);

// Of a server under load: milliseconds to the first and per further token (latency_case.cpp).
PredictedFigure predict_first_token(PredictionContext&, const ValidationCase&);
PredictedFigure predict_token_time(PredictionContext&, const ValidationCase&);
PredictedFigure predict_token_gap(PredictionContext&, const ValidationCase&);
/// Of the GPUs alone, all of them together.
PredictedFigure predict_serving_power(PredictionContext&, const ValidationCase&);
PredictedFigure predict_token_energy(PredictionContext&, const ValidationCase&);

// MLPerf Inference, one GPU or several (serving_case.cpp).
PredictedFigure predict_benchmark_samples(PredictionContext&, const ValidationCase&);
PredictedFigure predict_benchmark_answers(PredictionContext&, const ValidationCase&);

// What follows from the answer to a training's scenario (training_figures.cpp).
/// Arithmetic per second of one GPU, three times that of a forward pass.
PredictedFigure predict_flop_rate(PredictionContext&, const ValidationCase&);
/// Share of the peak that all GPUs reach together; with the batch that fills them where none is stated.
PredictedFigure predict_peak_fraction(PredictionContext&, const ValidationCase&);
/// Arithmetic per second of one GPU, or its share of the peak, counted as the source says.
PredictedFigure predict_flop_per_gpu(PredictionContext&, const ValidationCase&);
PredictedFigure predict_scaling(PredictionContext&, const ValidationCase&);
/// GPUs times the time to train. What a campaign repeats and loses is not in it, and mostly not in the
/// figure.
PredictedFigure predict_gpu_hours(PredictionContext&, const ValidationCase&);
PredictedFigure predict_network_send(PredictionContext&, const ValidationCase&);
/// The run that a ratio divides by; nothing where the figure is no ratio. Throws Unpredictable where the case
/// does not say what it is.
std::optional<ValidationCase> slower_run(const ValidationCase& c);
/// The case on another number of GPUs of its machine, filling node after node, with the same batch per GPU.
ValidationCase with_gpus(const ValidationCase& c, double gpus);
/// Rate per GPU of the case over that on `base` GPUs of its machine.
PredictedFigure predict_efficiency(PredictionContext&, const ValidationCase& c, double base);

// Memory of split networks (memory_case.cpp).
PredictedFigure predict_split_memory(PredictionContext&, const ValidationCase&);
/// What a GPU holds after the backward pass, or at its peak.
PredictedFigure predict_gpu_memory(PredictionContext&, const ValidationCase&);
/// 1 where training needs more than the GPU has, 0 where it fits. The interval has both where that is open.
PredictedFigure predict_out_of_memory(PredictionContext&, const ValidationCase&);
/// Activations of a layer over those without recomputation and with the sequence whole.
PredictedFigure predict_activation_fraction(PredictionContext&, const ValidationCase&);

// Collectives (collective_case.cpp).
PredictedFigure predict_collective_time(PredictionContext&, const ValidationCase&);
/// Seconds that the ranks of a training spend in the all-reduce of all gradients: in every step one exchange,
/// and before it the wait for the slowest rank (models/step/straggler.hpp).
PredictedFigure predict_total_all_reduce(PredictionContext&, const ValidationCase&);
PredictedFigure predict_bus_bandwidth(PredictionContext&, const ValidationCase&);
PredictedFigure predict_peer_bandwidth(PredictionContext&, const ValidationCase&);

// Storage (storage_case.cpp).
PredictedFigure predict_storage_read(PredictionContext&, const ValidationCase&);
PredictedFigure predict_drive_rate(PredictionContext&, const ValidationCase&);
PredictedFigure predict_utilisation(PredictionContext&, const ValidationCase&);
PredictedFigure predict_checkpoint(PredictionContext&, const ValidationCase&);

// Failures (reliability_case.cpp).
PredictedFigure predict_mttf(PredictionContext&, const ValidationCase&);
PredictedFigure predict_interruptions(PredictionContext&, const ValidationCase&);
PredictedFigure predict_failure_rate(PredictionContext&, const ValidationCase&);
PredictedFigure predict_machine_failures(PredictionContext&, const ValidationCase&);
PredictedFigure predict_effective_time(PredictionContext&, const ValidationCase&);
PredictedFigure predict_checkpoint_interval(PredictionContext&, const ValidationCase&);

// Power (power_case.cpp).
PredictedFigure predict_node_power(PredictionContext&, const ValidationCase&);
PredictedFigure predict_run_energy(PredictionContext&, const ValidationCase&);

// Single kernels (kernel_case.cpp).
PredictedFigure predict_kernel(PredictionContext&, const ValidationCase&);
PredictedFigure predict_gemm_rate(PredictionContext&, const ValidationCase&);
PredictedFigure predict_layer_gemms(PredictionContext&, const ValidationCase&);
/// The largest batch whose training fits the GPU.
PredictedFigure predict_largest_batch(PredictionContext&, const ValidationCase&);
PredictedFigure predict_stream(PredictionContext&, const ValidationCase&);
PredictedFigure predict_host_copy(PredictionContext&, const ValidationCase&);

}  // namespace rackcast
