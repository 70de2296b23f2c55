/// What a node draws while it trains (models/power/node_power.hpp), its GPUs' kernels running all the time:
/// cases say nothing of what their steps wait for. Mean and highest reading get the same prediction. Energy
/// is that times the predicted time of the benchmark's run.
#include <fmt/format.h>

#include <cmath>

#include "models/power/node_power.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/mlperf_training.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

/// The case cut to one of its nodes.
NodeSpec node_of(PredictionContext& context, const ValidationCase& c) {
  ValidationCase one = c;
  if (c.system.gpus_per_node) one.system.gpus = c.system.gpus_per_node;
  one.system.nodes = 1;
  one.system.fabric = Json{};
  return node_of_case(context.catalog(), one);
}

/// The training whose energy a case of MLPerf Power gives: batch and samples are the benchmark's.
ValidationCase timed_run(const ValidationCase& c) {
  const auto benchmark = training_benchmark(c.workload.model);
  if (!benchmark || !(benchmark->samples > 0))
    throw Unpredictable{"power: batch and samples of this run are not known"};
  ValidationCase run = c;
  run.metric = "time_to_train_s";
  run.workload.task = "training";
  run.workload.global_batch = benchmark->batch;
  const bool adapters = text_in(c.workload.extra, "finetune") == "lora";
  // BERT's sequences are packed, with the mean that the results on time have; the fine-tuning's have 8,192
  // tokens (github.com/mlcommons/training, llama2_70b_lora).
  run.workload.extra = parse_json(
      fmt::format(
          R"({{"benchmark_round": "power", "samples_to_target": {}{}{}}})", benchmark->samples,
          adapters ? R"(, "finetune": "lora", "seq_len": 8192)" : "",
          c.workload.model == "bert-large" ? R"(, "padding_removed": true, "mean_seq_len": 256)" : ""),
      "run");
  return run;
}

}  // namespace

PredictedFigure predict_run_energy(PredictionContext& context, const ValidationCase& c) {
  const PredictedFigure time = predict_training(context, timed_run(c));
  const PredictedFigure power = predict_node_power(context, c);
  const double nodes = context.cluster(c).used_nodes();
  return figure_of(time.value * power.value * nodes, std::hypot(log_sigma_of(time), log_sigma_of(power)));
}

PredictedFigure predict_node_power(PredictionContext& context, const ValidationCase& c) {
  const NodeSpec node = node_of(context, c);
  const NodePower power = node_power(context.catalog(), node);
  if (!power.known) throw Unpredictable{"neither rating of the node nor limit of its GPUs known"};
  return figure_of(power.at(1, Power{INFINITY}).wall.base(), power.log_sigma);
}

}  // namespace rackcast
