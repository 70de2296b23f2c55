// Language models that answer token by token (models/token_generation.hpp).
#include <cmath>

#include "models/token_generation.hpp"
#include "scenarios/validation/exchange_of_case.hpp"
#include "scenarios/validation/predictor.hpp"
#include "scenarios/validation/software_of_case.hpp"
#include "scenarios/validation/split_case.hpp"
#include "scenarios/validation/workload_of_case.hpp"
#include "sim/error.hpp"
#include "topologies/gpu_spec.hpp"

namespace rackcast {
namespace {

/// In flight: as many as fit where the source lets all wait.
double requests_of(const ValidationCase& c) {
  const std::string load = text_in(c.workload.extra, "load").value_or("");
  if (load == "offline, saturated") return 0;
  if (load == "static batch" && c.workload.global_batch) return *c.workload.global_batch;
  if (const auto concurrency = number_in(c.workload.extra, "concurrency")) return *concurrency;
  throw Unpredictable{"serving under an offered rate: no model yet"};
}

}  // namespace

PredictedFigure predict_generation(PredictionContext& context, const ValidationCase& c) {
  const auto prompt = number_in(c.workload.extra, "input_len"),
             output = number_in(c.workload.extra, "output_len");
  if (!prompt || !output) throw Unpredictable{"lengths of prompts and answers not stated"};
  if (!c.system.gpu) throw Unpredictable{"GPU not stated"};
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"tokens of a network other than a plain transformer: no model yet"};
  GenerationSpec spec;
  spec.tensor = ways_of_case(c, "tp");
  spec.pipeline = ways_of_case(c, "pp");
  spec.prompt = *prompt;
  spec.output = *output;
  spec.requests = requests_of(c);
  spec.precision = precision_of(c);
  spec.server = server_habits(c.workload.framework);
  spec.memory = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  const FrameworkProfile profile = context.profile(c);
  const Cluster& cluster = context.cluster(c);
  const double gpus = spec.tensor * spec.pipeline, groups = static_cast<double>(cluster.ranks.size()) / gpus;
  const ExchangeSpec exchange = exchange_of_case(c, profile, cluster.used_nodes());
  const Generation out =
      generate_tokens(cluster, *shape, context.gpu(*c.system.gpu, profile), profile, exchange.comm, spec);
  const bool per_gpu = c.metric == "output_tokens_per_s_per_gpu";
  return figure_of(out.tokens_per_s * (per_gpu ? 1 / gpus : groups),
                   std::hypot(out.compute_log_sigma, out.network_log_sigma));
}

}  // namespace rackcast
