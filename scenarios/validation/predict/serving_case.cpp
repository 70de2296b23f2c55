/// MLPerf Inference: copies of a network on the GPUs of one node, and language models that share them.
///
/// Offline, all samples are there: each GPU takes the batch with which it is fastest. In the server scenario
/// requests arrive at random and are answered within a limit at the 99th percentile: each GPU has a queue
/// (models/serving/serving.hpp). A language model takes as many GPUs per copy as give most tokens per GPU,
/// which is what submissions do, and as many requests at once as stay within the limit on average. Assumed:
/// the host feeds all GPUs.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "models/serving/serving.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/mlperf_inference.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

constexpr double largest_batch_tried = 2048;

/// An encoder that answers with two figures per token has no product with the vocabulary.
Workload network_of(PredictionContext& context, const ValidationCase& c, const InferenceBenchmark& rules) {
  auto shape = transformer_of_case(c);
  if (!shape || !rules.tokens) return context.workload(c);
  shape->seq_len = std::llround(*rules.tokens);
  shape->predicted = 1;
  return transformer_workload(*shape);
}

/// One copy on one GPU.
class Copy {
 public:
  Copy(PredictionContext& context, const ValidationCase& c, const InferenceBenchmark& rules)
      : network_{network_of(context, c, rules)},
        framework_{context.profile(c)},
        gpu_{context.gpu(*c.system.gpu, framework_)},
        rules_{rules},
        precision_{rules.precision},
        memory_{gpu_spec(context.catalog(), *c.system.gpu).available_memory()} {
    require_precision(gpu_, precision_, PrecisionUse::inference);
    if (!rules.decoder.empty()) decoder_ = load_workload(rules.decoder);
  }

  /// With batches of powers of two, as far as memory goes.
  double offline_rate() {
    double best = 0;
    for (double batch = 1; batch <= largest_batch_tried; batch *= 2) {
      if (serving_memory(network_, batch, precision_) > memory_) break;
      best = std::max(best, batch / time_of(batch).base());
    }
    return best;
  }

  double server_rate(Duration limit) {
    ServingSpec spec;
    // Between powers of two, times are interpolated.
    Duration low = time_of(1);
    spec.batch_time.push_back(low);
    for (double batch = 2; batch <= largest_batch_tried; batch *= 2) {
      const Duration high = time_of(batch);
      if (high > limit || serving_memory(network_, batch, precision_) > memory_) break;
      const double from = batch / 2;
      for (double n = from + 1; n <= batch; ++n)
        spec.batch_time.push_back(low + (high - low) * ((n - from) / from));
      low = high;
    }
    return highest_rate(spec, limit).base();
  }

  [[nodiscard]] double log_sigma() const { return log_sigma_; }

 private:
  Duration pass(const Workload& network, double batch, Precision precision) {
    StepOptions options;
    options.batch = batch;
    options.precision = precision;
    options.training = false;
    const StepTime step = step_time(network, gpu_, framework_, options);
    log_sigma_ = std::max(log_sigma_, step.log_sigma);
    return step.total;
  }

  Duration time_of(double batch) {
    Duration time = rules_.passes * pass(network_, batch * rules_.samples_per_pass, precision_);
    if (decoder_) time += pass(*decoder_, batch, Precision::fp16);
    return time;
  }

  Workload network_;
  std::optional<Workload> decoder_;
  FrameworkProfile framework_;
  const GpuCostModel& gpu_;
  InferenceBenchmark rules_;
  Precision precision_;
  Bytes memory_;
  double log_sigma_ = 0;
};

/// The requests of one group of GPUs that answers token by token.
class Group {
 public:
  Group(PredictionContext& context, const ValidationCase& c, const InferenceBenchmark& rules)
      : rules_{rules},
        shape_{*transformer_of_case(c)},
        framework_{context.profile(c)},
        gpu_{context.gpu(*c.system.gpu, framework_)},
        cluster_{context.cluster(c)},
        comm_{exchange_of_case(c, framework_, cluster_.used_nodes()).comm} {
    spec_.output = *rules.output;
    spec_.beams = rules.beams;
    spec_.precision = rules.precision;
    require_precision(gpu_, spec_.precision, PrecisionUse::generation);
    spec_.server = context.server(c);
    spec_.memory = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  }

  /// Tokens per second of the whole system with prompts of this length.
  double rate(double prompt) {
    spec_.prompt = prompt;
    const double gpus = static_cast<double>(cluster_.ranks.size());
    double best = 0;
    for (int ways = 1; ways <= static_cast<int>(gpus); ways *= 2) {
      if (cluster_.ranks.size() % static_cast<std::size_t>(ways) != 0) break;
      spec_.tensor = ways;
      best = std::max(best, group_rate() * gpus / ways);
    }
    if (!(best > 0))
      throw Unpredictable{"the network does not fit the GPUs, or no answer is within the limit"};
    return best;
  }

  [[nodiscard]] double log_sigma() const { return log_sigma_; }

 private:
  /// 0 where the network does not fit.
  double group_rate() {
    try {
      const GenerationPasses passes = generation_passes(cluster_, shape_, gpu_, framework_, comm_, spec_);
      Generation out = passes.full;
      while (rules_.server && !within(out)) {
        const double fewer = std::floor(0.9 * out.requests);
        if (fewer < 1) return 0;
        out = passes.with(fewer);
      }
      log_sigma_ = std::max(log_sigma_, std::hypot(out.compute_log_sigma, out.network_log_sigma));
      return out.tokens_per_s;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::infeasible) throw;
      return 0;
    }
  }

  [[nodiscard]] bool within(const Generation& out) const {
    return (!rules_.token || out.token <= *rules_.token) &&
           (!rules_.latency || out.first + (spec_.output - 1) * out.token <= *rules_.latency);
  }

  InferenceBenchmark rules_;
  TransformerShape shape_;
  FrameworkProfile framework_;
  const GpuCostModel& gpu_;
  const Cluster& cluster_;
  CommSpec comm_;
  GenerationSpec spec_;
  double log_sigma_ = 0;
};

PredictedFigure answers(PredictionContext& context, const ValidationCase& c,
                        const InferenceBenchmark& rules) {
  Group group{context, c, rules};
  if (rules.prompt)
    return figure_of(group.rate(*rules.prompt), std::hypot(group.log_sigma(), rules.length_log_sigma));
  // The mean of the prompts is not published: a third of the longest, and from a sixth to two thirds.
  const double value = group.rate(rules.longest_prompt / 3);
  const double least = group.rate(rules.longest_prompt * 2 / 3), most = group.rate(rules.longest_prompt / 6);
  const PredictedFigure out = figure_of(value, group.log_sigma());
  const auto reach = [&](double end, double other) {
    return value *
           std::exp(std::copysign(std::hypot(std::log(end / value), std::log(other / value)), other - value));
  };
  return {value, reach(out.low, least), reach(out.high, most)};
}

}  // namespace

PredictedFigure predict_benchmark_answers(PredictionContext& context, const ValidationCase& c) {
  const auto rules = benchmark_of_case(c);
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  if (!rules || !rules->output || !transformer_of_case(c))
    throw Unpredictable{"lengths of prompts and answers not stated", "lengths"};
  return answers(context, c, *rules);
}

PredictedFigure predict_benchmark_samples(PredictionContext& context, const ValidationCase& c) {
  const auto rules = benchmark_of_case(c);
  if (!rules) {
    if (c.one_gpu()) return predict_throughput(context, c);
    throw Unpredictable{"several GPUs: how they share the samples is not stated"};
  }
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated", "gpus"};
  if (rules->output) {
    PredictedFigure out = answers(context, c, *rules);
    for (double* value : {&out.value, &out.low, &out.high}) *value /= *rules->output;
    return out;
  }
  Copy copy{context, c, *rules};
  const double rate =
      rules->server && rules->latency ? copy.server_rate(*rules->latency) : copy.offline_rate();
  return figure_of(rate * *c.system.gpus, std::hypot(copy.log_sigma(), rules->length_log_sigma));
}

}  // namespace rackcast
