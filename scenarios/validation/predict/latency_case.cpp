// What GPUs draw while they serve is what they draw while kernels run all the time
// (models/power/gpu_power.hpp), fitted on training; an energy per token is that over the tokens per second.
// Times to the first and per further token of a server that keeps a number of requests in flight.
#include <algorithm>
#include <cmath>
#include <optional>

#include "models/mechanism_spread.hpp"
#include "models/power/gpu_power.hpp"
#include "models/serving/closed_loop.hpp"
#include "models/serving/split_phases.hpp"
#include "scenarios/validation/predict/server_of_case.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

struct Latency {
  ClosedLoopTimes times;
  double log_sigma = 0;  ///< of the passes
  /// What queues make of it in the time to the first token: |ln| of the change when all passes are slower by
  /// the spread of passes, and when memory holds less by the spread of what servers keep.
  double first_by_passes = 0, first_by_room = 0;
  bool split_phases = false;
};

double change(const ClosedLoopTimes& one, const ClosedLoopTimes& other) {
  return std::abs(std::log(one.first.base() / other.first.base()));
}

struct Load {
  double prompt = 1, output = 1, open = 1;
};

double stated(const ValidationCase& c, std::string_view key) {
  const auto value = number_in(c.workload.extra, key);
  if (!value || !(*value >= 1) || *value > 1e6)
    throw Unpredictable{"lengths or requests in flight not stated", "lengths"};
  return *value;
}

/// One server of the case with the lengths that the load generator draws: the nominal one is the longest. A
/// server is set up for the requests that it is asked to keep open.
ServerOfCase server_for(PredictionContext& context, const ValidationCase& c, const Json& split,
                        const Load& load, double open) {
  const LoadGenerator generator = load_generator();
  const double mean = (1 + generator.shortest) / 2;
  ServerOfCase server =
      server_of_case(context, c, split, load.prompt * mean, std::max(1.0, load.output * mean));
  server.spec.server.fp8_cache = server.spec.server.fp8_cache || generator.fp8_cache;
  server.spec.server.most_requests = std::max(server.spec.server.most_requests, open);
  return server;
}

double sigma_of(const GenerationPasses& passes) {
  return std::hypot(passes.full.compute_log_sigma, passes.full.network_log_sigma);
}

GenerationPasses passes_of(const ServerOfCase& server, double open) {
  return server.passes(static_cast<int>(std::ceil(open / server.spec.replicas)));
}

ClosedLoop loop_of(const ServerOfCase& server, const GenerationPasses& passes, const Load& load) {
  const LoadGenerator generator = load_generator();
  ClosedLoop loop;
  loop.load = passes.load;
  loop.replicas = server.spec.replicas;
  loop.open = static_cast<int>(load.open);
  loop.requests = static_cast<int>(load.open * generator.requests_per_place);
  loop.spread = (1 - generator.shortest) / (1 + generator.shortest);
  loop.mixed = server.spec.server.mixed;
  loop.arriving = server.spec.server.arriving;
  loop.passes_waited = server.spec.server.passes_waited;
  return loop;
}

/// As many places as memory holds for each stage, times a factor, and no more than there are requests.
int places_in(const GenerationPasses& passes, double factor) {
  const double room = factor * passes.full.requests / passes.stages;
  return static_cast<int>(std::clamp(room, 1.0, std::max(1.0, double(passes.load.requests))));
}

/// The case cut to the GPUs of one of its servers.
ValidationCase with_server(const ValidationCase& c, const Json& split) {
  const double gpus = number_in(split, "tp").value_or(1) * number_in(split, "pp").value_or(1) *
                      number_in(split, "dp").value_or(1);
  ValidationCase out = c;
  const bool domain = c.system.intra_node == "nvlink-domain";
  out.system.gpus = gpus;
  out.system.gpus_per_node = domain ? gpus : std::min(gpus, c.system.gpus_per_node.value_or(8));
  out.system.nodes = std::ceil(gpus / *out.system.gpus_per_node);
  return out;
}

int servers_in(const Json& split) {
  const double stated = number_in(split, "workers").value_or(1);
  if (!(stated >= 1) || stated > 1e5) throw Unpredictable{"number of servers out of range"};
  return static_cast<int>(stated);
}

Latency split_latency(PredictionContext& context, const ValidationCase& c, const Load& load) {
  const Json &prefill = c.workload.parallelism.require("prefill"),
             &decode = c.workload.parallelism.require("decode");
  SplitPhases phases;
  phases.prompt_servers = servers_in(prefill);
  phases.answer_servers = servers_in(decode);
  const ServerOfCase reader =
      server_for(context, with_server(c, prefill), prefill, load, load.open / phases.prompt_servers);
  const GenerationPasses reading = passes_of(reader, load.open / phases.prompt_servers);
  phases.prompts = loop_of(reader, reading, load);
  const double each = std::ceil(load.open / phases.answer_servers);
  const ServerOfCase writer = server_for(context, with_server(c, decode), decode, load, each);
  const GenerationPasses writing = passes_of(writer, each);
  phases.answers = writing.load;
  phases.answer_replicas = writer.spec.replicas;
  Latency out{simulate_split_phases(phases), std::max(sigma_of(reading), sigma_of(writing))};
  // Prompts and answers are read by GPUs of their own, and may be off by themselves: the queue of prompts is
  // as long as the one is slow against the other.
  SplitPhases slower = phases;
  slower.prompts.load = slowed(phases.prompts.load, std::exp(out.log_sigma));
  out.first_by_passes = change(simulate_split_phases(slower), out.times);
  out.split_phases = true;
  return out;
}

Latency latency_of(PredictionContext& context, const ValidationCase& c, const Load& load) {
  if (member_in(c.workload.parallelism, "prefill") && member_in(c.workload.parallelism, "decode"))
    return split_latency(context, c, load);
  const ServerOfCase server = server_for(context, c, c.workload.parallelism, load, load.open);
  const GenerationPasses passes = passes_of(server, load.open);
  ClosedLoop loop = loop_of(server, passes, load);
  Latency out{simulate_closed_loop(loop), sigma_of(passes)};
  ClosedLoop slower = loop;
  slower.load = slowed(loop.load, std::exp(out.log_sigma));
  out.first_by_passes = change(simulate_closed_loop(slower), out.times);
  const double spread = cache_room_log_sigma();
  for (const double factor : {std::exp(-spread), std::exp(spread)}) {
    loop.load.places = places_in(passes, factor);
    if (loop.load.places != passes.load.places)
      out.first_by_room = std::max(out.first_by_room, change(simulate_closed_loop(loop), out.times));
  }
  return out;
}

Load load_of(const ValidationCase& c) {
  return {stated(c, "input_len"), stated(c, "output_len"), stated(c, "concurrency")};
}

/// Of a saturated server with a largest batch. Answers have their stated mean length; prompts of a data set
/// have its mean.
Load saturated_load(const ValidationCase& c) {
  const auto prompt = prompt_of_data_set(text_in(c.workload.extra, "dataset").value_or(""));
  if (!prompt && !number_in(c.workload.extra, "input_len"))
    throw Unpredictable{"lengths of the data set's prompts are not known"};
  const double mean = (1 + load_generator().shortest) / 2;
  return {prompt.value_or(number_in(c.workload.extra, "input_len").value_or(1)) / mean,
          stated(c, "mean_output_len") / mean, std::round(stated(c, "mean_batch_size"))};
}

}  // namespace

PredictedFigure predict_serving_power(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpu || !c.system.gpus) throw Unpredictable{"GPUs not stated", "gpu"};
  const GpuSpec gpu = gpu_spec(context.catalog(), *c.system.gpu);
  if (!gpu.tdp) throw Unpredictable{"power limit of the GPU not known"};
  const GpuPowerModel model = gpu_power_model(gpu);
  const Power each = gpu_power(model, gpu.tdp->value, 1, Power{INFINITY});
  return figure_of(each.base() * *c.system.gpus,
                   std::hypot(model.busy_log_sigma, mechanism_log_sigma(Mechanism::serving_power)));
}

PredictedFigure predict_token_energy(PredictionContext& context, const ValidationCase& c) {
  const PredictedFigure power = predict_serving_power(context, c), gap = predict_token_gap(context, c);
  const double answers = saturated_load(c).open;
  return figure_of(power.value * gap.value * 1e-3 / answers,
                   std::hypot(log_sigma_of(power), log_sigma_of(gap)));
}

PredictedFigure predict_first_token(PredictionContext& context, const ValidationCase& c) {
  const Latency out = latency_of(context, c, load_of(c));
  const double rest = std::hypot(mechanism_log_sigma(Mechanism::first_token),
                                 out.split_phases ? mechanism_log_sigma(Mechanism::split_phases) : 0);
  return figure_of(1e3 * out.times.first.base(), std::hypot(out.first_by_passes, out.first_by_room, rest));
}

PredictedFigure predict_token_time(PredictionContext& context, const ValidationCase& c) {
  const Latency out = latency_of(context, c, load_of(c));
  return figure_of(1e3 * out.times.token.base(), out.log_sigma);
}

PredictedFigure predict_token_gap(PredictionContext& context, const ValidationCase& c) {
  const Latency out = latency_of(context, c, saturated_load(c));
  return figure_of(1e3 * out.times.token_median.base(), out.log_sigma);
}

}  // namespace rackcast
