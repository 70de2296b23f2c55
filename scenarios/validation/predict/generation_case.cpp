// Language models that answer token by token (models/serving/token_generation.hpp).
#include <algorithm>
#include <cmath>
#include <optional>

#include "models/serving/generation_load.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// In flight: as many as fit where the source lets all wait.
double requests_of(const ValidationCase& c) {
  const std::string load = text_in(c.workload.extra, "load").value_or("");
  if (load == "offline, saturated") return 0;
  if (load == "static batch" && c.workload.global_batch)
    return std::clamp(*c.workload.global_batch, 1.0, 1e6);
  if (const auto concurrency = number_in(c.workload.extra, "concurrency")) return *concurrency;
  throw Unpredictable{"neither a load nor the requests in flight stated"};
}

/// Tokens per second of a group that answers `requests` requests, which arrive at the rate `offered` or all
/// at once.
double rate_of(GenerationPasses passes, double requests, double output, std::optional<double> offered) {
  GenerationLoad& load = passes.load;
  // Groups of requests take turns at the stages, and arrivals.
  if (offered) load.between = Duration{passes.stages / *offered};
  return requests * output / time_to_answer_all(load).base();
}

}  // namespace

PredictedFigure predict_generation(PredictionContext& context, const ValidationCase& c) {
  const auto prompt = number_in(c.workload.extra, "input_len"),
             output = number_in(c.workload.extra, "output_len");
  if (!prompt || !output) return predict_benchmark_answers(context, c);
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const auto shape = known_transformer(context, c);
  if (!shape) throw Unpredictable{"tokens of a network other than a plain transformer: no model yet"};
  GenerationSpec spec;
  spec.tensor = ways_of_case(c, "tp");
  spec.pipeline = ways_of_case(c, "pp");
  spec.prompt = *prompt;
  spec.output = *output;
  spec.precision = precision_of(c);
  spec.server = context.server(c);
  spec.memory = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  const FrameworkProfile profile = context.profile(c);
  const Cluster& cluster = context.cluster(c);
  const double gpus = spec.tensor * spec.pipeline, groups = static_cast<double>(cluster.ranks.size()) / gpus;
  const ExchangeSpec exchange = exchange_of_case(c, profile, cluster.used_nodes());
  const GpuCostModel& gpu = context.gpu(*c.system.gpu, profile);
  require_precision(gpu, spec.precision, PrecisionUse::generation);
  auto prompts = number_in(c.workload.extra, "num_prompts");
  if (!prompts && server_name_of(c) == "trtllm_bench")
    prompts = trtllm_bench_requests(spec.prompt, spec.output);
  const std::string load = text_in(c.workload.extra, "load").value_or("");
  Generation out;
  if (load == "static batch" && c.workload.global_batch) {
    // All prompts in one pass, whatever it takes, then a token of each until the last.
    spec.requests = requests_of(c);
    GenerationPasses passes = generation_passes(cluster, *shape, gpu, profile, exchange.comm, spec,
                                                static_cast<int>(spec.requests));
    passes.load.tokens_per_pass = 2 * spec.requests * spec.prompt;
    out = passes.full;
    out.tokens_per_s = rate_of(passes, spec.requests, spec.output, std::nullopt);
  } else if (prompts && (load == "offered rate" || load == "offline, saturated")) {
    if (!(*prompts >= 1) || *prompts > 1e6) throw Unpredictable{"number of requests out of range"};
    const GenerationPasses passes =
        generation_passes(cluster, *shape, gpu, profile, exchange.comm, spec, static_cast<int>(*prompts));
    out = passes.full;
    out.tokens_per_s =
        rate_of(passes, *prompts, spec.output, number_in(c.workload.extra, "offered_requests_per_s"));
  } else {
    spec.requests = requests_of(c);
    out = generate_tokens(cluster, *shape, gpu, profile, exchange.comm, spec);
  }
  const bool per_gpu = c.metric == "output_tokens_per_s_per_gpu";
  return figure_of(out.tokens_per_s * (per_gpu ? 1 / gpus : groups),
                   std::hypot(out.compute_log_sigma, out.network_log_sigma));
}

}  // namespace rackcast
