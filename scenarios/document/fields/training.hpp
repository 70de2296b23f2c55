#pragma once
/// Keys, units and meanings of the structs of scenarios/document/training.hpp.
#include "scenarios/document/fields/answer.hpp"
#include "scenarios/document/fields/drawing.hpp"
#include "scenarios/document/fields/evidence.hpp"
#include "scenarios/document/fields/input.hpp"
#include "scenarios/document/fields/reliability.hpp"
#include "scenarios/document/training.hpp"

namespace rackcast::doc {

template <>
struct Fields<LadderRung> {
  static constexpr std::string_view name = "rung";
  static constexpr std::string_view meaning = "One rung from data to nodes.";
  static void each(const auto& visit) {
    visit(field("what", &LadderRung::what, "which rung it is, and how it follows from what is above it"));
    visit(field("value", &LadderRung::value).signed_number());
    visit(field("unit", &LadderRung::unit));
  }
};

template <>
struct Fields<StepBreakdown::Part> {
  static constexpr std::string_view name = "step_part";
  static void each(const auto& visit) {
    visit(field("name", &StepBreakdown::Part::name).needed());
    visit(field("seconds", &StepBreakdown::Part::seconds));
  }
};

template <>
struct Fields<StepBreakdown> {
  static constexpr std::string_view name = "step";
  static constexpr std::string_view meaning =
      "What one training step waits for; the parts add up to the total. Of a network split over GPUs they "
      "are seen by a "
      "GPU of the slowest stage.";
  static void each(const auto& visit) {
    visit(field("parts", &StepBreakdown::parts));
    visit(field("total_s", &StepBreakdown::total_s).optional());
    visit(field("all_reduce_busy_s", &StepBreakdown::all_reduce_busy_s, "exposed or not").optional());
    visit(field("host_wait_s", &StepBreakdown::host_wait_s,
                "of forward, backward and update: the GPU waits for the host's next kernel")
              .optional());
    visit(field("warm_up_s", &StepBreakdown::warm_up_s, "of the first steps, beyond the steady ones")
              .optional());
    visit(field("binds", &StepBreakdown::binds));
    visit(field("no_timeline", &StepBreakdown::no_timeline, "why the step is not drawn").omitted());
    visit(
        field(
            "cycle_steps", &StepBreakdown::cycle_steps,
            "steps that make a cycle, where no step is like the one before: the figures are its mean; null: "
            "no cycle was "
            "found, and they are the mean over the last half of the simulated steps")
            .from(2)
            .unless(&StepBreakdown::repeats));
    visit(field("simulated_steps", &StepBreakdown::simulated_steps, "where they are no cycle").omitted());
  }
};

template <>
struct Fields<ScalingPoint> {
  static constexpr std::string_view name = "scaling_point";
  static void each(const auto& visit) {
    visit(field("nodes", &ScalingPoint::nodes));
    visit(field("gpus", &ScalingPoint::gpus));
    visit(field("samples_per_s", &ScalingPoint::samples_per_s));
    visit(field("time_to_train_s", &ScalingPoint::time_to_train));
    visit(field("efficiency", &ScalingPoint::efficiency, "of perfect scaling from one GPU"));
    visit(field("binds", &ScalingPoint::binds));
  }
};

template <>
struct Fields<PublishedComparison> {
  static constexpr std::string_view name = "published";
  static void each(const auto& visit) {
    visit(field("label", &PublishedComparison::label).needed());
    visit(field("published_s", &PublishedComparison::published_s));
    visit(field("published_text", &PublishedComparison::published_text, "as printed by the source"));
    visit(field("predicted_s", &PublishedComparison::predicted));
    visit(field("ratio", &PublishedComparison::ratio, "predicted over published"));
    visit(field("efficiency", &PublishedComparison::efficiency, "of the simulated scaling from one GPU"));
    visit(field("gpus", &PublishedComparison::gpus));
    visit(field("perfect_s", &PublishedComparison::perfect_s,
                "predicted time of one GPU of this type over the number of GPUs"));
    visit(field("source", &PublishedComparison::source));
    visit(field("note", &PublishedComparison::note));
    visit(field("global_batch", &PublishedComparison::global_batch, "samples in a step of the prediction"));
    visit(field("published_global_batch", &PublishedComparison::published_global_batch,
                "samples in a step of the published run; absent: the scenario does not say")
              .omitted());
  }
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
  static void each(const auto& visit) {
    visit(field("tokens_per_s", &Utilisation::tokens_per_s));
    visit(field("tokens_per_s_per_gpu", &Utilisation::tokens_per_s_per_gpu));
    visit(field("mfu", &Utilisation::mfu));
    visit(field("hfu", &Utilisation::hfu));
    visit(field("tokens_per_sample", &Utilisation::tokens_per_sample));
    visit(field("model_flop_per_token", &Utilisation::model_flop_per_token));
    visit(field("hardware_flop_per_token", &Utilisation::hardware_flop_per_token));
    visit(field("peak_flop_per_s_per_gpu", &Utilisation::peak_flop_per_s_per_gpu));
  }
};

template <>
struct Fields<Batch> {
  static constexpr std::string_view name = "batch";
  static constexpr std::string_view meaning = "The samples of a step, and where their number comes from.";
  static void each(const auto& visit) {
    visit(field("what", &Batch::what));
    visit(field("grows_with_gpus", &Batch::grows_with_gpus,
                "the scenario states the batch of one GPU and no global_batch"));
    visit(field("largest_useful", &Batch::largest_useful,
                "samples beyond which more in a step do not train faster; absent: the scenario does not say")
              .omitted());
    visit(field("passes", &Batch::passes, "passes whose gradients are added up before an exchange")
              .from(2)
              .omitted());
  }
};

template <>
struct Fields<LinkShare> {
  static constexpr std::string_view name = "link_share";
  static constexpr std::string_view meaning =
      "How full the links of one sort are in a step: bytes over what they could carry meanwhile.";
  static void each(const auto& visit) {
    visit(field("kind", &LinkShare::kind).of("nvlink xgmi pcie socket infiniband ethernet fabric"));
    visit(field("from", &LinkShare::from).of("gpu cpu plx nvswitch nic leaf spine core storage"));
    visit(field("to", &LinkShare::to).of("gpu cpu plx nvswitch nic leaf spine core storage"));
    visit(field("links", &LinkShare::links,
                "directions that carry something; parallel cables between two devices count as one"));
    visit(field("mean", &LinkShare::mean));
    visit(field("fullest", &LinkShare::fullest));
  }
};

template <>
struct Fields<SplitSearch::Split> {
  static constexpr std::string_view name = "searched_split";
  static constexpr std::string_view meaning =
      "One split of a network over the GPUs. Times are of a step as simulated, without waiting for samples.";
  static void each(const auto& visit) {
    using Split = SplitSearch::Split;
    visit(field("text", &Split::text, "the split for people").needed());
    visit(field("tensor", &Split::tensor, "GPUs that share each layer").from(1));
    visit(field("pipeline", &Split::pipeline, "stages of layers").from(1));
    visit(field("interleave", &Split::interleave, "parts of the network on each stage").from(1));
    visit(field("schedule", &Split::schedule).of("1f1b gpipe zero_bubble zero_bubble_2p dualpipe"));
    visit(field("context", &Split::context, "GPUs that share each sequence").from(1));
    visit(field("expert", &Split::expert, "GPUs that share the experts of a layer").from(1));
    visit(field("replicas", &Split::replicas).from(1));
    visit(field("micro_batch", &Split::micro_batch, "sequences"));
    visit(field("micro_batches", &Split::micro_batches, "of one replica in a step"));
    visit(field("zero_stage", &Split::zero_stage).up_to(3));
    visit(field("recompute", &Split::recompute).of("none selective full"));
    visit(field("memory_bytes", &Split::memory_bytes, "that each GPU needs"));
    visit(field("step_s", &Split::step_s, "absent: it does not fit, so it was not simulated").omitted());
    visit(field("bubble_s", &Split::bubble_s, "of the step, while the pipeline fills and drains").omitted());
    visit(field("exposed_exchange_s", &Split::exposed_exchange_s,
                "of the step, exchanges that kernels do not hide")
              .omitted());
    visit(field("mfu", &Split::mfu, "as in utilisation").unit("1").omitted());
  }
};

template <>
struct Fields<SplitSearch::Other> {
  static constexpr std::string_view name = "other_split";
  static constexpr std::string_view meaning = "The best split with one value changed, and what it comes to.";
  static void each(const auto& visit) {
    using Other = SplitSearch::Other;
    visit(field("key", &Other::key)
              .of("tensor pipeline interleave schedule context expert micro_batch zero_stage recompute"));
    visit(field("value", &Other::value).needed());
    visit(field("needed_bytes", &Other::needed_bytes, "memory that a GPU does not have").omitted());
    visit(field("step_s", &Other::step_s, "where it fits").omitted());
  }
};

template <>
struct Fields<SplitSearch> {
  static constexpr std::string_view name = "split_search";
  static constexpr std::string_view meaning =
      "Of a workload with \"parallelism\": \"auto\": which splits there were and which are best. considered "
      "is the "
      "sum of not_fitting, cut_off and simulated.";
  static void each(const auto& visit) {
    visit(field("fits", &SplitSearch::fits, "a split fits the memory of a GPU"));
    visit(field("considered", &SplitSearch::considered, "splits that divide everything"));
    visit(field("not_fitting", &SplitSearch::not_fitting, "need more memory than a GPU has"));
    visit(field("cut_off", &SplitSearch::cut_off,
                "cannot be faster than the fifth best, by a bound below every step"));
    visit(field("simulated", &SplitSearch::simulated));
    visit(field("gpu_memory_bytes", &SplitSearch::gpu_memory_bytes, "that a GPU has"));
    visit(field("best", &SplitSearch::best,
                "the fastest first, at most five; where none fits, the one that needs least memory"));
    visit(field("others", &SplitSearch::others));
    visit(field("why", &SplitSearch::why, "what sets the best apart from the second").omitted());
  }
};

template <>
struct Fields<WorkloadResult> {
  static constexpr std::string_view name = "workload";
  static void each(const auto& visit) {
    visit(field("model", &WorkloadResult::model, "name in the catalogue").needed());
    visit(field("title", &WorkloadResult::title, "name for people"));
    visit(field("parameters", &WorkloadResult::parameters));
    visit(field("forward_flop_per_sample", &WorkloadResult::forward_flop_per_sample));
    visit(field("samples", &WorkloadResult::samples));
    visit(field("epochs", &WorkloadResult::epochs));
    visit(field("batch_per_gpu", &WorkloadResult::batch_per_gpu));
    visit(field("global_batch", &WorkloadResult::global_batch));
    visit(field("batch", &WorkloadResult::batch));
    visit(field("precision", &WorkloadResult::precision));
    visit(field("steps", &WorkloadResult::steps));
    visit(field("answer", &WorkloadResult::answer));
    visit(field("prediction", &WorkloadResult::performance).optional());
    visit(field("parallelism", &WorkloadResult::parallelism, "split over GPUs; absent: none").omitted());
    visit(field("memory_bytes_per_gpu", &WorkloadResult::memory_bytes_per_gpu,
                "what training keeps on each GPU"));
    visit(field("memory_fits_odds", &WorkloadResult::memory_fits_odds,
                "odds, 0 to 1, that a split network's memory is enough; the count has the spread of measured "
                "runs")
              .omitted());
    visit(field("split_search", &WorkloadResult::split_search).omitted());
    visit(field("utilisation", &WorkloadResult::utilisation).omitted());
    visit(field("ladder", &WorkloadResult::ladder));
    visit(field("step", &WorkloadResult::step));
    visit(field("input", &WorkloadResult::input).omitted());
    visit(field("reliability", &WorkloadResult::reliability).omitted());
    visit(field("scaling", &WorkloadResult::scaling));
    visit(field("published", &WorkloadResult::published));
    visit(field("evidence", &WorkloadResult::evidence));
    visit(field("timeline", &WorkloadResult::timeline).omitted());
    visit(field("links", &WorkloadResult::links,
                "of a network that is not split over GPUs; gradients, weights and the input count")
              .omitted());
    visit(field("alternatives", &WorkloadResult::alternatives));
    visit(field("sensitivity", &WorkloadResult::sensitivity));
  }
};

}  // namespace rackcast::doc
