#pragma once
/// One trained workload of a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// How full the links of one sort are in a step: bytes over what they could carry meanwhile.
struct LinkShare {
  std::string kind, from, to;
  double links = 0, mean = 0, fullest = 0;
};

/// How the split of a network was searched, and what was found.
struct SplitSearch {
  struct Split {
    std::string text;
    std::int64_t tensor = 1, pipeline = 1, interleave = 1, context = 1, expert = 1, replicas = 1,
                 zero_stage = 0;
    double micro_batch = 1, micro_batches = 1;
    std::string schedule, recompute;
    double memory_bytes = 0;
    std::optional<double> step_s, bubble_s, exposed_exchange_s, mfu;
  };
  /// The best split with one value changed.
  struct Other {
    std::string key, value;
    std::optional<double> needed_bytes, step_s;
  };
  bool fits = false;
  std::int64_t considered = 0, not_fitting = 0, cut_off = 0, simulated = 0;
  double gpu_memory_bytes = 0;
  std::vector<Split> best;
  std::vector<Other> others;
  std::optional<Reason> why;
};

struct WorkloadResult {
  std::string model, title, precision, parallelism;
  std::optional<double> parameters, forward_flop_per_sample, samples, epochs, batch_per_gpu, global_batch,
      steps, memory_bytes_per_gpu, memory_fits_odds;
  std::optional<Batch> batch;
  Answer answer;
  Performance performance;
  std::optional<SplitSearch> split_search;
  std::optional<Utilisation> utilisation;
  std::vector<LadderRung> ladder;
  std::optional<StepBreakdown> step;
  std::optional<InputPath> input;
  std::optional<Reliability> reliability;
  std::vector<ScalingPoint> scaling;
  std::vector<PublishedComparison> published;
  std::optional<Evidence> evidence;
  std::optional<Timeline> timeline;
  std::vector<LinkShare> links;
  std::vector<Alternative> alternatives;
  std::vector<Sensitivity> sensitivity;
};

}  // namespace rackcast::doc
