#include "models/serving/token_generation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/mechanism_spread.hpp"
#include "models/networks/token_facts.hpp"
#include "models/serving/direct_sums.hpp"
#include "models/serving/generation_pass.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/split_stages.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

/// What a GPU of the group holds: its part of every layer of its stage.
struct Part {
  TransformerShape shape;
  double stages = 1;
  Bytes kv_per_token{0};  ///< all layers of the stage; the mean over a request's tokens where windows end it
  Bytes state{0};         ///< of a request, all state-space layers of the stage
};

/// No stage has more layers of any kind than this one.
void take_stage(TransformerShape& shape, int stages) {
  const auto part = [stages](std::int64_t layers) {
    return (layers + stages - 1) / stages;
  };
  const std::int64_t others = part(shape.layers - shape.mamba_layers - shape.attention_layers);
  shape.mamba_layers = part(shape.mamba_layers);
  shape.attention_layers = part(shape.attention_layers);
  shape.layers = others + shape.mamba_layers + shape.attention_layers;
  shape.dense_layers = std::min(shape.dense_layers, shape.layers);
}

double weight_bytes(Precision precision) {
  if (precision == Precision::fp4) return fp4_bytes;
  return precision == Precision::fp8 || precision == Precision::int8 ? 1 : activation_bytes(precision).base();
}

/// Tables of tokens and what keeps 16 bits in the products is not stored in 8.
Bytes weights_of(const Workload& workload, Precision precision) {
  Bytes sum{0};
  for (const Operator& op : workload.operators) {
    const bool wide = op.keeps_16_bits || op.family == OperatorFamily::embedding;
    sum += Bytes{op.parameters * std::max(weight_bytes(precision), wide ? 2.0 : 0.0)};
  }
  return sum;
}

/// GPUs of one stage that share the experts.
int holders(const GenerationSpec& spec) {
  return spec.tensor * spec.replicas;
}

/// With replicas, experts whose columns are cut count as whole ones spread over the same GPUs: the same
/// weights and the same arithmetic on each.
Part part_of(const TransformerShape& whole, const GenerationSpec& spec) {
  TransformerShape shard = shard_of(whole, spec.tensor);
  const int spread = spec.replicas > 1 ? holders(spec) : spec.expert;
  if (shard.experts > 0) shard = with_local_experts(shard, spec.tensor, spread);
  Part out{shard, static_cast<double>(spec.pipeline), {}, {}};
  take_stage(out.shape, spec.pipeline);
  const double tokens = std::max(1.0, spec.prompt + spec.output);
  // Windows take turns over all layers, and those of a stage are the mean of them; hybrids have none.
  const double of_layers = static_cast<double>(out.shape.layers) / static_cast<double>(whole.layers);
  const double kept =
      shard.mamba_layers > 0 ? kv_elements(out.shape, tokens) : of_layers * kv_elements(shard, tokens);
  out.kv_per_token = kept / tokens * kv_element(spec);
  out.state = spec.beams * state_of_request(out.shape);
  return out;
}

TransformerShape without_last_layer(TransformerShape shape) {
  --shape.layers;
  return shape;
}

/// What guesses tokens: a layer like the network's last one.
TransformerShape draft_shape(TransformerShape shape) {
  shape.layers = 1;
  shape.dense_layers = shape.experts > 0 ? 0 : shape.dense_layers;
  return shape;
}

class Server {
 public:
  Server(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
         const FrameworkProfile& framework, const CommSpec& comm, const GenerationSpec& spec)
      : part_(part_of(shape, spec)), gpu_(gpu), framework_(framework), comm_(comm), spec_(spec) {
    if (spec.tensor > 1) {
      group_ = first_ranks(cluster, spec.tensor);
      inside_.emplace(*group_, comm);
      out_.network_log_sigma = inside_->log_sigma();
    }
    if (exchanged_layers(part_.shape) > 0) sharing_ = first_ranks(cluster, holders(spec));
    if (spec.pipeline > 1) {
      stages_ = first_ranks(cluster, holders(spec) * spec.pipeline);
      between_.emplace(*stages_, comm);
      out_.network_log_sigma = std::max(out_.network_log_sigma, between_->log_sigma());
    }
  }

  /// So many requests share the stages evenly; nothing: as many as there is place for.
  GenerationPasses passes(std::optional<int> asked) {
    out_.weights = weights_of(pass_of(part_.shape, 1), spec_.precision);
    if (spec_.speculation.drafts > 0 && part_.shape.layers > 1)  // a layer more; the vocabulary is shared
      out_.weights += out_.weights - weights_of(pass_of(without_last_layer(part_.shape), 1), spec_.precision);
    out_.kv_per_token = part_.kv_per_token;
    out_.state_per_request = part_.state;
    out_.requests = requests();
    tokens_per_pass_ = tokens_per_pass();
    // Stages work on groups of requests one behind the other.
    const double together = std::max(1.0, std::floor(out_.requests / part_.stages));
    GenerationPasses out;
    out.stages = spec_.pipeline;
    GenerationLoad& load = out.load;
    load.requests = asked ? (*asked + out.stages - 1) / out.stages : static_cast<int>(together);
    load.places = static_cast<int>(std::clamp(out_.requests / part_.stages, 1.0, double(load.requests)));
    load.prompt = spec_.prompt;
    load.output = spec_.output;
    load.beams = spec_.beams;
    load.tokens_per_pass = tokens_per_pass_;
    for (double n = 1; n < 2 * together; n *= 2) load.token.push_back(part_.stages * token_time(n));
    const double most = std::max(tokens_per_pass_, spec_.prompt);
    for (double n = 1; n < 2 * most; n *= 2) load.rows.push_back(part_.stages * rows_time(n));
    load.attention = part_.stages * beside_rows();
    out.full = out_;
    out.full = out.with(out_.requests);
    return out;
  }

 private:
  /// What a prompt takes beside the products of its tokens.
  Duration beside_rows() {
    const double batch = prompts_per_pass();
    return std::max(Duration{0}, prompt_time() - rows_time(batch * spec_.prompt) / batch);
  }

  /// trtllm-bench rounds up to a multiple of 256, 512 or 1,024, by size.
  double tokens_per_pass() const {
    const ServerHabits& server = spec_.server;
    if (!(server.most_tokens_per_pass > 0)) return server.tokens_per_pass;
    const double asked = out_.requests / part_.stages * (1 + spec_.prompt / spec_.output);
    const double step = asked < 4096 ? 256 : asked < 8192 ? 512 : 1024;
    return std::clamp(step * std::ceil(asked / step), server.tokens_per_pass, server.most_tokens_per_pass);
  }

  double requests() const {
    const ServerHabits& server = spec_.server;
    const Bytes room = server.memory_of_free * (server.memory_of_all * spec_.memory - out_.weights);
    const double tokens = spec_.prompt + server.output_kept * spec_.beams * spec_.output;
    const double fit = std::floor(room / (tokens * part_.kv_per_token + part_.state));
    if (!(fit >= 1)) {
      throw Error{fmt::format("{} for weights leave no room for one request of {:.0f} tokens in {}",
                              to_text(out_.weights), tokens, to_text(spec_.memory)),
                  {},
                  "split the network over more GPUs",
                  ErrorKind::infeasible};
    }
    const double most = std::min(fit, server.most_requests);
    if (spec_.requests > most)
      throw Error{fmt::format("{:.0f} requests at once, but memory holds {:.0f}", spec_.requests, most),
                  {},
                  "ask for fewer, or split the network over more GPUs",
                  ErrorKind::infeasible};
    return spec_.requests > 0 ? spec_.requests : most;
  }

  /// So many of the tokens get a following one.
  Duration time_of(const Workload& pass, double batch, double tokens, double sampled) {
    return gpu_time(pass, part_.shape, batch, tokens, sampled) + spec_.server.between_passes +
           sampled * spec_.server.per_request;
  }

  /// Without what the host takes. `shape`: of the layers of the pass.
  Duration gpu_time(Workload pass, const TransformerShape& shape, double batch, double tokens,
                    double sampled) {
    const double scores = static_cast<double>(shape.vocab) * spec_.tensor * sampled;
    pass.operators.push_back(sampling(scores / batch, spec_.precision));
    fuse_experts(pass, shape, tokens * spec_.replicas, batch);
    StepOptions options;
    options.batch = batch;
    options.precision = spec_.precision;
    options.training = false;
    const StepTime step = step_time(pass, gpu_, framework_, options);
    out_.compute_log_sigma = std::max(
        out_.compute_log_sigma,
        std::hypot(step.log_sigma, mechanism_log_sigma(Mechanism::generation), spec_.speculation.log_sigma));
    Duration sums{0};
    const double exchanged = exchanged_layers(shape);
    if (inside_) {
      // Activations are summed in 16 bits, behind attention and MLP, or the one part of a hybrid's layer.
      const Bytes sum{2.0 * tokens * static_cast<double>(shape.hidden)};
      const double summed = shape.mamba_layers > 0 ? 1 : 2;  // parts of a layer
      sums = (summed * static_cast<double>(shape.layers) - exchanged) * sum_time(sum);
      if (sampled > 0) sums += inside_->time(Collective::all_gather, Bytes{2 * scores});
    }
    if (exchanged > 0) sums += exchanged * tokens_to_experts(tokens);
    // Each GPU of a stage sends its part of the activations on.
    if (between_)
      sums += between_->time(Collective::send_recv,
                             Bytes{2.0 * tokens * static_cast<double>(shape.hidden) / spec_.tensor});
    return step.total + sums;
  }

  /// A sum over the group, by the server's own kernels or the library's, whichever is faster.
  Duration sum_time(Bytes payload) {
    const Duration library = inside_->time(Collective::all_reduce, payload);
    return std::min(library, direct_sum_time(*group_, payload).value_or(library));
  }

  /// Layers whose tokens go to the experts of other replicas instead of a sum.
  [[nodiscard]] double exchanged_layers(const TransformerShape& shape) const {
    if (spec_.replicas == 1 || shape.experts == 0) return 0;
    return static_cast<double>(shape.layers - shape.dense_layers - shape.mamba_layers -
                               shape.attention_layers);
  }

  /// There in the width of the products, back in 16 bits. Each GPU sends its part of the replica's tokens.
  Duration tokens_to_experts(double tokens) const {
    const double features =
        tokens * static_cast<double>(part_.shape.hidden) * width_to_experts(part_.shape) / spec_.tensor;
    const auto exchange = [&](double width) {
      const Bytes own{width * features};
      const Bytes copies = own * static_cast<double>(part_.shape.top_k);
      if (const auto direct = direct_exchange_time(*sharing_, copies)) return *direct;
      return expert_exchange(*sharing_, comm_, part_.shape, holders(spec_), own).time;
    };
    return exchange(std::max(1.0, weight_bytes(spec_.precision))) + exchange(2);
  }

  double prompts_per_pass() const { return std::max(1.0, std::floor(tokens_per_pass_ / spec_.prompt)); }

  /// So many tokens of any kind without attention; one of them reaches the vocabulary, none is sampled.
  Duration rows_time(double tokens) {
    TransformerShape shape = part_.shape;
    shape.seq_len = std::max<std::int64_t>(1, std::llround(tokens));
    shape.predicted = 1;
    Workload pass = transformer_workload(shape);
    std::erase_if(pass.operators, [](const Operator& op) { return op.family == OperatorFamily::attention; });
    return time_of(pass, 1, tokens, 0);
  }

  /// Of one request, in a pass that is full of prompts. Only their last tokens reach the vocabulary.
  Duration prompt_time() {
    const double batch = prompts_per_pass();
    TransformerShape shape = part_.shape;
    shape.seq_len = std::max<std::int64_t>(1, std::llround(spec_.prompt));
    shape.predicted = 1;
    return time_of(transformer_workload(shape), batch, batch * spec_.prompt, batch) / batch;
  }

  /// Of every request, in a pass for all of them.
  Duration token_time(double requests) {
    const Speculation& guess = spec_.speculation;
    const double answers = requests * spec_.beams, rows = answers * (1 + guess.drafts);
    Workload pass = pass_of(part_.shape, rows);
    read_cache(pass, part_.shape, requests, spec_, gpu_.gpu().memory);
    step_states(pass, part_.shape, answers, spec_.precision);
    Duration time = gpu_time(pass, part_.shape, 1, rows, rows) + spec_.server.between_passes +
                    answers * spec_.server.per_request;
    if (guess.drafts > 0) time += guess.drafts * draft_time(requests);
    return time / guess.tokens_per_pass();
  }

  /// One guess for every request.
  Duration draft_time(double requests) {
    const TransformerShape shape = draft_shape(part_.shape);
    GenerationSpec one = spec_;
    one.speculation = {};
    Workload pass = pass_of(shape, requests);
    read_cache(pass, shape, requests, one, gpu_.gpu().memory);
    return gpu_time(pass, shape, 1, requests, requests);
  }

  Part part_;
  const GpuCostModel& gpu_;
  const FrameworkProfile& framework_;
  const CommSpec& comm_;
  const GenerationSpec& spec_;
  std::optional<Cluster> group_;
  std::optional<CommModel> inside_;
  std::optional<Cluster> sharing_;
  std::optional<Cluster> stages_;
  std::optional<CommModel> between_;
  double tokens_per_pass_ = 0;
  Generation out_;
};

void check(const Cluster& cluster, const TransformerShape& shape, const GenerationSpec& spec) {
  if (!(spec.prompt >= 1) || !(spec.output >= 1) || spec.prompt > 1e7 || spec.output > 1e7)
    throw Error{"prompt and output take from 1 to 10 million tokens"};
  if (spec.speculation.drafts > 0 && !can_be_guessed(shape))
    throw Error{
        "speculative decoding has no model for networks with state-space layers: their states cannot be "
        "undone"};
  if (spec.speculation.drafts > 0 && (spec.pipeline > 1 || spec.beams > 1))
    throw Error{"tokens that are guessed have no model with pipeline stages or beams"};
  if (spec.replicas < 1 || spec.expert < 1)
    throw Error{"replicas and GPUs that experts are spread over are 1 or more"};
  if (spec.expert > 1 && spec.expert != holders(spec))
    throw Error{
        fmt::format("experts are spread over {} GPUs, and the group has {}", spec.expert, holders(spec)),
        {},
        "spread them over all GPUs of the group, or give each GPU a part of every expert"};
  if (spec.tensor < 1 || spec.pipeline < 1 ||
      static_cast<double>(holders(spec)) * spec.pipeline > static_cast<double>(cluster.ranks.size()))
    throw Error{fmt::format("{} x {} GPUs are more than the {} there are", holders(spec), spec.pipeline,
                            cluster.ranks.size())};
}

}  // namespace

bool can_be_guessed(const TransformerShape& shape) {
  return shape.mamba_layers == 0;
}

double Speculation::tokens_per_pass() const {
  double sum = 1, chance = 1;
  for (int i = 0; i < drafts; ++i) sum += chance *= acceptance;
  return sum;
}

Generation GenerationPasses::with(double requests) const {
  const GenerationSteady steady = steady_generation(load, std::max(1.0, requests / stages));
  Generation out = full;
  out.requests = requests;
  out.first = steady.first;
  out.token = steady.token;
  out.tokens_per_s = load.output * requests / (steady.first + (load.output - 1) * steady.token).base();
  return out;
}

Generation generate_tokens(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
                           const FrameworkProfile& framework, const CommSpec& comm,
                           const GenerationSpec& spec) {
  check(cluster, shape, spec);
  return Server{cluster, shape, gpu, framework, comm, spec}.passes(std::nullopt).full;
}

GenerationPasses generation_passes(const Cluster& cluster, const TransformerShape& shape,
                                   const GpuCostModel& gpu, const FrameworkProfile& framework,
                                   const CommSpec& comm, const GenerationSpec& spec,
                                   std::optional<int> requests) {
  check(cluster, shape, spec);
  return Server{cluster, shape, gpu, framework, comm, spec}.passes(requests);
}

}  // namespace rackcast
