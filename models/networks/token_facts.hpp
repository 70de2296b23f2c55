#pragma once
/// Weights that one token of a language model is multiplied with, and keys and values that it leaves in
/// memory.
#include "models/networks/operator.hpp"

namespace rackcast {

struct TransformerShape;

/// Parameters that work on one token: all but the experts that it is not sent to. Tables of words count
/// whole, so a source that leaves them out prints less (gpt-oss, arXiv 2508.10925, does not count the input's
/// table). Of a network that is no plain transformer: all parameters.
double active_parameters(const Workload& workload);

/// Number of elements of keys and values that all layers together keep for one request of `tokens` tokens.
/// Attention keeps 2 * kv_heads * head_dim per token, latent attention kv_lora_rank + qk_rope_head_dim
/// (DeepSeek-V2, arXiv 2405.04434, section 2.1). A layer with a window keeps only those of its last tokens. A
/// state-space layer keeps none. Assumes that the numbers of `shape` agree, as those of a network that was
/// read do.
double kv_elements(const TransformerShape& shape, double tokens);

/// What all state-space layers together keep for one request, however long it is: the state of heads x
/// head_dim x state in 32 bits, and the last three tokens of what is convolved, inner + 2 * groups * state
/// wide, in 16 bits. The 32 bits are what networks ask for ("mamba_ssm_cache_dtype" in config.json of
/// Nemotron 3 Nano) and what published runs of Nemotron Nano v2 set (github.com/ml-energy/benchmark,
/// configs/vllm); servers that are not told keep 16.
Bytes state_of_request(const TransformerShape& shape);

}  // namespace rackcast
