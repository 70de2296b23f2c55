#pragma once
/// The operators of the passes of a server of a language model. Private to models/serving.
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/serving/token_generation.hpp"

namespace rackcast {

/// Of an element of keys and values.
Bytes kv_element(const GenerationSpec& spec);

/// The operators of a pass through the stage with `tokens` tokens at once.
Workload pass_of(TransformerShape shape, double tokens);

/// A server gathers the rows of the experts, multiplies them and sums the results in one call for each layer.
/// A pass of `batch` samples, `tokens` in all replicas, reads the experts that these meet, not all that a GPU
/// holds.
void fuse_experts(Workload& pass, const TransformerShape& shape, double tokens, double batch);

/// A token of each of `answers` takes the state of its own answer on by one step: it is read and written.
/// The scan over many tokens is left out (github.com/state-spaces/mamba,
/// ops/triton/selective_state_update.py).
void step_states(Workload& pass, const TransformerShape& shape, double answers, Precision precision);

/// Each query meets its own keys and values, read once for all heads that share them. Answers of one request
/// (beams) read its prompt at the same time: memory gives it once, the cache as often as there are answers,
/// and the slower of the two counts.
/// Guesses are queries beside the certain one.
void read_cache(Workload& pass, const TransformerShape& shape, double requests, const GenerationSpec& spec,
                Bandwidth memory);

/// Scores of all words are gathered on every GPU of a tensor-parallel group in 16 bits, made 32 bits and
/// searched (TensorRT-LLM, _torch/modules/embedding.py: LMHead with gather_output, models/modeling_utils.py:
/// logits.float(), pyexecutor/sampler.py: argmax; vLLM, v1/sample/sampler.py: logits.to(torch.float32)).
/// The search was read in the source, the two conversions are quoted from memory and unverified.
/// Probabilities of the words are asked for by other requests than a benchmark's.
Operator sampling(double scores, Precision precision);

}  // namespace rackcast
