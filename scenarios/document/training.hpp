#pragma once
/// One trained workload of a result document.
#include "scenarios/document/answer.hpp"
#include "scenarios/document/drawing.hpp"
#include "scenarios/document/evidence.hpp"
#include "scenarios/document/input.hpp"
#include "scenarios/document/reliability.hpp"

namespace rackcast::doc {

struct LadderRung {
  Reason what;
  double value = 0;
  std::string unit;
};

struct StepBreakdown {
  struct Part {
    std::string name;
    double seconds = 0;
  };
  std::vector<Part> parts;
  double total_s = 0, all_reduce_busy_s = 0, warm_up_s = 0;
  double host_wait_s = 0;  ///< of forward, backward and update: the GPU waits for the host's next kernel
  std::string binds, no_timeline;
  bool repeats = true;  ///< every step takes as long as the one before
  std::optional<std::int64_t> cycle_steps, simulated_steps;
};

struct ScalingPoint {
  std::int64_t nodes = 0, gpus = 0;
  std::optional<Prediction> samples_per_s, time_to_train;
  std::optional<double> efficiency;
  std::string binds;
};

struct PublishedComparison {
  std::string label, published_text, source, note;
  double published_s = 0;
  std::optional<Prediction> predicted;
  std::optional<double> ratio, efficiency, perfect_s, global_batch, published_global_batch;
  std::optional<std::int64_t> gpus;
};

/// Of a language model.
struct Utilisation {
  std::optional<Prediction> tokens_per_s, tokens_per_s_per_gpu, mfu, hfu;
  double tokens_per_sample = 0, model_flop_per_token = 0, hardware_flop_per_token = 0,
         peak_flop_per_s_per_gpu = 0;
};

/// The samples of a step, and where their number comes from.
struct Batch {
  Reason what;
  bool grows_with_gpus = false;
  std::optional<double> largest_useful;
  std::optional<std::int64_t> passes;
};

struct WorkloadResult {
  std::string model, title, precision, parallelism;
  std::optional<double> parameters, forward_flop_per_sample, samples, epochs, batch_per_gpu, global_batch,
      steps, memory_bytes_per_gpu, memory_fits_odds;
  std::optional<Batch> batch;
  Answer answer;
  Performance performance;
  std::optional<Utilisation> utilisation;
  std::vector<LadderRung> ladder;
  std::optional<StepBreakdown> step;
  std::optional<InputPath> input;
  std::optional<Reliability> reliability;
  std::vector<ScalingPoint> scaling;
  std::vector<PublishedComparison> published;
  std::optional<Evidence> evidence;
  std::optional<Timeline> timeline;
  std::vector<Alternative> alternatives;
  std::vector<Sensitivity> sensitivity;
};

template <>
struct Fields<LadderRung> {
  static constexpr std::string_view name = "rung";
  static constexpr std::string_view meaning = "One rung from data to nodes.";
  static constexpr auto list = std::tuple{
      field("what", &LadderRung::what, "which rung it is, and how it follows from what is above it"),
      field("value", &LadderRung::value).signed_number(),
      field("unit", &LadderRung::unit),
  };
};
template <>
struct Fields<StepBreakdown::Part> {
  static constexpr std::string_view name = "step_part";
  static constexpr auto list = std::tuple{
      field("name", &StepBreakdown::Part::name).needed(),
      field("seconds", &StepBreakdown::Part::seconds),
  };
};
template <>
struct Fields<StepBreakdown> {
  static constexpr std::string_view name = "step";
  static constexpr std::string_view meaning =
      "What one training step waits for; the parts add up to the total. Of a network split over GPUs they "
      "are seen by a "
      "GPU of the slowest stage.";
  static constexpr auto list = std::tuple{
      field("parts", &StepBreakdown::parts),
      field("total_s", &StepBreakdown::total_s).optional(),
      field("all_reduce_busy_s", &StepBreakdown::all_reduce_busy_s, "exposed or not").optional(),
      field("host_wait_s", &StepBreakdown::host_wait_s,
            "of forward, backward and update: the GPU waits for the host's next kernel")
          .optional(),
      field("warm_up_s", &StepBreakdown::warm_up_s, "of the first steps, beyond the steady ones").optional(),
      field("binds", &StepBreakdown::binds),
      field("no_timeline", &StepBreakdown::no_timeline, "why the step is not drawn").omitted(),
      field("cycle_steps", &StepBreakdown::cycle_steps,
            "steps that make a cycle, where no step is like the one before: the figures are its mean; null: "
            "no cycle was "
            "found, and they are the mean over the last half of the simulated steps")
          .from(2)
          .unless(&StepBreakdown::repeats),
      field("simulated_steps", &StepBreakdown::simulated_steps, "where they are no cycle").omitted(),
  };
};
template <>
struct Fields<ScalingPoint> {
  static constexpr std::string_view name = "scaling_point";
  static constexpr auto list = std::tuple{
      field("nodes", &ScalingPoint::nodes),
      field("gpus", &ScalingPoint::gpus),
      field("samples_per_s", &ScalingPoint::samples_per_s),
      field("time_to_train_s", &ScalingPoint::time_to_train),
      field("efficiency", &ScalingPoint::efficiency, "of perfect scaling from one GPU"),
      field("binds", &ScalingPoint::binds),
  };
};
template <>
struct Fields<PublishedComparison> {
  static constexpr std::string_view name = "published";
  static constexpr auto list = std::tuple{
      field("label", &PublishedComparison::label).needed(),
      field("published_s", &PublishedComparison::published_s),
      field("published_text", &PublishedComparison::published_text, "as printed by the source"),
      field("predicted_s", &PublishedComparison::predicted),
      field("ratio", &PublishedComparison::ratio, "predicted over published"),
      field("efficiency", &PublishedComparison::efficiency, "of the simulated scaling from one GPU"),
      field("gpus", &PublishedComparison::gpus),
      field("perfect_s", &PublishedComparison::perfect_s,
            "predicted time of one GPU of this type over the number of GPUs"),
      field("source", &PublishedComparison::source),
      field("note", &PublishedComparison::note),
      field("global_batch", &PublishedComparison::global_batch, "samples in a step of the prediction"),
      field("published_global_batch", &PublishedComparison::published_global_batch,
            "samples in a step of the published run; absent: the scenario does not say")
          .omitted(),
  };
};
template <>
struct Fields<Utilisation> {
  static constexpr std::string_view name = "utilisation";
  static constexpr std::string_view meaning =
      "Of a language model. MFU: arithmetic that the model needs over the GPUs' dense peak (PaLM, arXiv "
      "2204.02311, appendix "
      "B); HFU: with what is computed again (arXiv 2205.05198, section 6.3). Null where the GPU has no unit "
      "for the "
      "precision.";
  static constexpr auto list = std::tuple{
      field("tokens_per_s", &Utilisation::tokens_per_s),
      field("tokens_per_s_per_gpu", &Utilisation::tokens_per_s_per_gpu),
      field("mfu", &Utilisation::mfu),
      field("hfu", &Utilisation::hfu),
      field("tokens_per_sample", &Utilisation::tokens_per_sample),
      field("model_flop_per_token", &Utilisation::model_flop_per_token),
      field("hardware_flop_per_token", &Utilisation::hardware_flop_per_token),
      field("peak_flop_per_s_per_gpu", &Utilisation::peak_flop_per_s_per_gpu),
  };
};
template <>
struct Fields<Batch> {
  static constexpr std::string_view name = "batch";
  static constexpr std::string_view meaning = "The samples of a step, and where their number comes from.";
  static constexpr auto list = std::tuple{
      field("what", &Batch::what),
      field("grows_with_gpus", &Batch::grows_with_gpus,
            "the scenario states the batch of one GPU and no global_batch"),
      field("largest_useful", &Batch::largest_useful,
            "samples beyond which more in a step do not train faster; absent: the scenario does not say")
          .omitted(),
      field("passes", &Batch::passes, "passes whose gradients are added up before an exchange")
          .from(2)
          .omitted(),
  };
};
template <>
struct Fields<WorkloadResult> {
  static constexpr std::string_view name = "workload";
  static constexpr auto list = std::tuple{
      field("model", &WorkloadResult::model, "name in the catalogue").needed(),
      field("title", &WorkloadResult::title, "name for people"),
      field("parameters", &WorkloadResult::parameters),
      field("forward_flop_per_sample", &WorkloadResult::forward_flop_per_sample),
      field("samples", &WorkloadResult::samples),
      field("epochs", &WorkloadResult::epochs),
      field("batch_per_gpu", &WorkloadResult::batch_per_gpu),
      field("global_batch", &WorkloadResult::global_batch),
      field("batch", &WorkloadResult::batch),
      field("precision", &WorkloadResult::precision),
      field("steps", &WorkloadResult::steps),
      field("answer", &WorkloadResult::answer),
      field("prediction", &WorkloadResult::performance).optional(),
      field("parallelism", &WorkloadResult::parallelism, "split over GPUs; absent: none").omitted(),
      field("memory_bytes_per_gpu", &WorkloadResult::memory_bytes_per_gpu, "what training keeps on each GPU"),
      field(
          "memory_fits_odds", &WorkloadResult::memory_fits_odds,
          "odds, 0 to 1, that a split network's memory is enough; the count has the spread of measured runs")
          .omitted(),
      field("utilisation", &WorkloadResult::utilisation).omitted(),
      field("ladder", &WorkloadResult::ladder),
      field("step", &WorkloadResult::step),
      field("input", &WorkloadResult::input).omitted(),
      field("reliability", &WorkloadResult::reliability).omitted(),
      field("scaling", &WorkloadResult::scaling),
      field("published", &WorkloadResult::published),
      field("evidence", &WorkloadResult::evidence),
      field("timeline", &WorkloadResult::timeline).omitted(),
      field("alternatives", &WorkloadResult::alternatives),
      field("sensitivity", &WorkloadResult::sensitivity),
  };
};

}  // namespace rackcast::doc
