#pragma once
/// A language model that answers requests token by token, on one group of GPUs.
///
/// A request brings a prompt, whose tokens pass through the network together, and gets its output one token
/// after the other; each of these passes reads all weights, and the keys and values of all tokens before.
/// The server keeps as many requests in flight as memory holds keys and values for (continuous batching: G.
/// Yu et al., "Orca", OSDI 2022), and a new one takes the place of one that is done. So in the steady state
///
///     tokens/s = n * output / (first + (output - 1) * token)
///
/// with n requests in flight, the time to the first token, and the time per further token, which includes the
/// share of passes that hold the prompts of others (models/serving/generation_load.hpp). Keys and values take
/// 2 * kv_heads * head_dim elements per layer and token (latent attention: kv_lora_rank + qk_rope_head_dim).
///
/// State-space layers keep a state for each answer instead (state_of_request()), which every token reads and
/// writes; prompts are scanned as in training.
///
/// A pass reads the experts that its tokens meet: of E experts, t tokens that choose k each touch
///
///     E (1 - (1 - k / E)^t)
///
/// on average, where all experts are equally likely. Trained routers are uneven and touch fewer.
///
/// Tensor parallelism sums activations twice per layer. Experts are cut over the GPUs or spread whole; with
/// replicas, tokens are sent to the experts and back. With pipeline stages the requests make as many groups,
/// which pass through the stages one behind the other; none waits at a stage, so each pass takes the time to
/// send its activations on as well. The scores of all words are gathered, made 32 bits and searched.
///
/// Beam search keeps several answers of a request: each takes its token in every pass; the prompt's keys and
/// values are kept once and read from memory once, from the cache for each.
///
/// Speculative decoding: before each pass a further layer of the network and its vocabulary guess `drafts`
/// tokens one after the other, and the pass checks them all together with the one that is certain
/// (DeepSeek-V3's multi-token prediction, arXiv 2412.19437; EAGLE's heads are alike). Where a guess is right
/// with the chance a, independently of the others, a pass brings
///
///     (1 - a^(drafts + 1)) / (1 - a)
///
/// tokens on average (Leviathan et al., "Fast inference from transformers via speculative decoding", ICML
/// 2023, equation 1).
///
/// Assumed: requests are all of the mean length, always enough of them wait, and the host keeps up: a
/// scheduler that takes milliseconds between passes makes this too fast, most where passes are short.
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/serving/generation_load.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;
struct FrameworkProfile;
struct GpuSpec;
class GpuCostModel;

/// Settings and delays of a server program, from models/data/host/serving.json.
struct ServerHabits {
  double memory_of_all = 1;       ///< share of a GPU's memory that it takes
  double memory_of_free = 1;      ///< of that, less the weights, the share for keys and values
  double output_kept = 1;         ///< share of the output that memory is kept for on average
  double most_requests = 1;       ///< in flight
  double tokens_per_pass = 8192;  ///< of prompts and of requests in flight
  /// Where a benchmark fits passes to the lengths: room for as many tokens of prompts as come with the
  /// requests in flight, from tokens_per_pass to this; 0: tokens_per_pass as it is.
  double most_tokens_per_pass = 0;
  bool fp8_cache = false;      ///< 8-bit keys and values where weights have 8 bits
  bool mixed = true;           ///< a pass holds prompts and answers; else prompts stop the answers
  Duration arriving{0};        ///< between client and queue, both ways, for each request
  Duration between_passes{0};  ///< of the host, while the GPU waits
  Duration per_request{0};     ///< the same for each request that gets a token: planned, decoded, sent
  /// Passes between a request's arrival at the queue and the one that reads its prompt, and from there until
  /// its first token is seen: the rest of a pass, one that is planned ahead, polls for requests once in some
  /// passes, waits for more prompts.
  double passes_waited = 0;

  friend auto operator<=>(const ServerHabits&, const ServerHabits&) = default;
};
/// "vllm", "sglang", "trtllm_bench"; every other name is taken for TensorRT-LLM and servers on top of it.
/// `version`: "0.12.0"; the newest where it is empty or no number. `gpu`: newer ones take more at once on
/// large GPUs; null: as older ones do.
ServerHabits server_habits(std::string_view framework, std::string_view version, const GpuSpec* gpu);

/// What the host of a server takes.
struct ServerTimes {
  Duration arriving{0}, between_passes{0}, per_request{0};  ///< as in ServerHabits
  double passes_waited = 0;
};
/// Of a server that no fit has seen, from what is published on how servers work
/// (models/data/host/serving.json). An entry of the server with `unseen` says it for that server.
ServerTimes unseen_server_times(std::string_view framework);

/// Requests that TensorRT-LLM's published throughput of these lengths was measured with, all there at the
/// beginning; nothing for other lengths.
std::optional<double> trtllm_bench_requests(double prompt, double output);

/// How a load generator keeps requests open (models/data/host/serving.json).
struct LoadGenerator {
  double requests_per_place = 10;  ///< requests of a run over those kept open
  double shortest = 1;             ///< shortest length over the nominal one, which is the longest
  bool fp8_cache = false;  ///< it tells servers to keep 8-bit keys and values where weights have 8 bits
};
LoadGenerator load_generator();
/// Mean tokens of the prompts of a published set of questions; nothing for one that is not known.
std::optional<double> prompt_of_data_set(std::string_view name);
/// Validation cases that the constants of servers were fitted on (models/data/host/serving_fit.json).
std::vector<std::string> server_fit_cases();
/// Spread of ln(bytes) of the memory that a server keeps for keys and values: its setting is rarely stated.
double cache_room_log_sigma();

/// Tokens that are guessed, and checked by the next pass.
struct Speculation {
  int drafts = 0;         ///< of a request in a pass; 0: none
  double acceptance = 0;  ///< chance that a guess is right where the one before it was
  double log_sigma = 0;   ///< of the tokens that a pass brings

  [[nodiscard]] double tokens_per_pass() const;

  friend auto operator<=>(const Speculation&, const Speculation&) = default;
};
/// As many guesses as asked for. Without a chance they are right as often as is usual, which has a spread
/// (models/data/host/serving.json).
Speculation speculation_of(int drafts, std::optional<double> acceptance = {});

/// Whether its tokens can be guessed, and the guesses undone.
bool can_be_guessed(const TransformerShape& shape);

struct GenerationSpec {
  int tensor = 1, pipeline = 1;
  /// Groups of `tensor` GPUs that answer requests of their own and share the experts of every layer.
  int replicas = 1;
  int expert = 1;  ///< GPUs over which whole experts are spread; 1: each GPU holds a part of every expert
  double prompt = 0, output = 0;  ///< tokens of a request
  double beams = 1;               ///< answers that a request keeps at once (beam search)
  double requests = 0;            ///< in flight in the group; 0: as many as memory holds and the server takes
  Speculation speculation;
  Precision precision = Precision::fp16;
  ServerHabits server;
  Bytes memory{0};  ///< of one GPU

  friend auto operator<=>(const GenerationSpec&, const GenerationSpec&) = default;
};

struct Generation {
  double requests = 0;         ///< in flight in the group
  double tokens_per_s = 0;     ///< of output, of the group
  Duration first{0};           ///< from a place in the server to the first token
  Duration token{0};           ///< per further token of a request, the share of prompts included
  Bytes weights{0};            ///< on one GPU
  Bytes kv_per_token{0};       ///< on one GPU, all its layers
  Bytes state_per_request{0};  ///< of state-space layers, the same
  double compute_log_sigma = 0, network_log_sigma = 0;
};

/// The cluster's first tensor x pipeline ranks are the group. Throws Error where the shape cannot be cut so,
/// and where memory does not hold the weights and one request.
Generation generate_tokens(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
                           const FrameworkProfile& framework, const CommSpec& comm,
                           const GenerationSpec& spec);

/// The passes of a group of GPUs that answers a given number of requests, which all wait from the beginning
/// (without a number: as many as there is place for). They are the load for time_to_answer_all(), for the
/// requests that one pipeline stage holds at a time. There are as many groups of requests in flight as stages
/// (TensorRT-LLM, pytorch/pyexecutor/py_executor.py: num_micro_batches = pp_size), so each group waits for
/// its activations to arrive at every stage.
struct GenerationPasses {
  Generation full;  ///< with all requests in flight that there is place for
  GenerationLoad load;
  int stages = 1;

  /// The steady state with another number of requests in flight in the group, at least one.
  [[nodiscard]] Generation with(double requests) const;
};
GenerationPasses generation_passes(const Cluster& cluster, const TransformerShape& shape,
                                   const GpuCostModel& gpu, const FrameworkProfile& framework,
                                   const CommSpec& comm, const GenerationSpec& spec,
                                   std::optional<int> requests = {});

}  // namespace rackcast
