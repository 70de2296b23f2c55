// Language models that answer token by token (models/token_generation.hpp).
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "models/generation_load.hpp"
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
  throw Unpredictable{"neither a load nor the requests in flight stated"};
}

/// Tokens per second of a group that answers so many requests, offered at a rate or all at once.
double rate_under_load(const std::function<Generation(double)>& with_requests, const GenerationSpec& spec,
                       double requests, std::optional<double> offered) {
  GenerationLoad load;
  load.requests = static_cast<int>(requests);
  load.output = static_cast<int>(std::lround(spec.output));
  load.between = offered ? Duration{1 / *offered} : Duration{0};
  const Generation most = with_requests(0);
  load.places = static_cast<int>(std::min(most.requests, requests));
  load.prompt = most.prompt;
  for (double n = 1; n <= 2 * load.places && n <= most.requests; n *= 2)
    load.token.push_back(with_requests(n).token);
  return requests * spec.output / time_to_answer_all(load).base();
}

}  // namespace

PredictedFigure predict_generation(PredictionContext& context, const ValidationCase& c) {
  const auto prompt = number_in(c.workload.extra, "input_len"),
             output = number_in(c.workload.extra, "output_len");
  if (!prompt || !output) return predict_benchmark_answers(context, c);
  if (!c.system.gpu) throw Unpredictable{"GPU not stated"};
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"tokens of a network other than a plain transformer: no model yet"};
  GenerationSpec spec;
  spec.tensor = ways_of_case(c, "tp");
  spec.pipeline = ways_of_case(c, "pp");
  spec.prompt = *prompt;
  spec.output = *output;
  spec.precision = precision_of(c);
  spec.server = server_habits(c.workload.framework);
  spec.memory = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  const FrameworkProfile profile = context.profile(c);
  const Cluster& cluster = context.cluster(c);
  const double gpus = spec.tensor * spec.pipeline, groups = static_cast<double>(cluster.ranks.size()) / gpus;
  const ExchangeSpec exchange = exchange_of_case(c, profile, cluster.used_nodes());
  const auto with_requests = [&](double requests) {
    GenerationSpec asked = spec;
    asked.requests = requests;
    return generate_tokens(cluster, *shape, context.gpu(*c.system.gpu, profile), profile, exchange.comm,
                           asked);
  };
  const auto prompts = number_in(c.workload.extra, "num_prompts");
  const bool offered = text_in(c.workload.extra, "load") == "offered rate" && prompts;
  Generation out = with_requests(offered ? 0 : requests_of(c));
  if (offered) {
    if (!(*prompts >= 1) || *prompts > 1e6) throw Unpredictable{"number of requests out of range"};
    out.tokens_per_s =
        rate_under_load(with_requests, spec, *prompts, number_in(c.workload.extra, "offered_requests_per_s"));
  }
  const bool per_gpu = c.metric == "output_tokens_per_s_per_gpu";
  return figure_of(out.tokens_per_s * (per_gpu ? 1 / gpus : groups),
                   std::hypot(out.compute_log_sigma, out.network_log_sigma));
}

}  // namespace rackcast
