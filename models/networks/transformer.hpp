#pragma once
/// Transformers described by numbers, as published measurements of language models give them.
#include <cstdint>
#include <vector>

#include "models/networks/operator.hpp"

namespace rackcast {

class Json;

/// One stack of equal layers over one sequence. Widths and counts; 0 where a part does not exist.
struct TransformerShape {
  std::int64_t layers = 0, hidden = 0, heads = 0, vocab = 0, seq_len = 0;
  std::int64_t kv_heads = 0;  ///< 0: as many as heads
  std::int64_t head_dim = 0;  ///< 0: hidden / heads
  std::int64_t ffn = 0;       ///< 0: 4 * hidden
  bool gated_mlp = false;     ///< three matrices (SwiGLU) instead of two
  bool causal = true;
  bool parallel_block = false;  ///< attention and MLP read the same normalised input

  // Local attention (Mistral, Gemma 2 and 3, gpt-oss): a token sees the last `window` tokens, itself
  // included, in every layer but each `full_attention_every`-th. Chunks (Llama 4) count as windows of the
  // same length.
  std::int64_t window = 0;                ///< 0: every layer sees all tokens
  std::int64_t full_attention_every = 0;  ///< 2: the second, fourth, ... layer; 0: no layer beside a window

  // Mixture of experts; the first `dense_layers` layers have none. Behind them every layer has experts, or
  // each `expert_every`-th beginning with the first, and the others an MLP of `ffn` (Llama 4 Maverick).
  std::int64_t experts = 0, top_k = 0, moe_ffn = 0, shared_experts = 0, dense_layers = 0, expert_every = 0;
  std::int64_t local_experts = 0;  ///< of those, held by this GPU, with all the tokens sent to them; 0: all
  std::int64_t token_parts = 1;    ///< GPUs that hold the same tokens and send a part each to the experts

  // Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1) if kv_lora_rank > 0.
  std::int64_t q_lora_rank = 0, kv_lora_rank = 0, qk_nope_head_dim = 0, qk_rope_head_dim = 0, v_head_dim = 0;

  // Hybrids of state-space models and attention (Nemotron-H, arXiv 2504.03624) if mamba_layers > 0: a layer
  // has one part only: `mamba_layers` of them a Mamba-2 mixer, `attention_layers` attention, and the others
  // experts, or an MLP if there are no experts. The kinds alternate as evenly as their counts allow.
  std::int64_t mamba_layers = 0, attention_layers = 0;
  std::int64_t mamba_heads = 0, mamba_head_dim = 0, mamba_state = 0, mamba_groups = 0;
  std::int64_t moe_latent = 0;  ///< width in which tokens go to the experts and come back; 0: hidden
  std::int64_t shared_ffn = 0;  ///< of all shared experts together; 0: shared_experts * moe_ffn

  std::int64_t learned_positions = 0;  ///< rows of a position table (GPT-2, BERT); 0: rotary or ALiBi
  std::int64_t longest_context = 0;    ///< tokens that it was trained to look back on; 0: not known
  std::int64_t token_types = 0;        ///< rows of BERT's segment table
  std::int64_t embedding_width = 0;    ///< ALBERT: tables of this width, projected to hidden; 0: hidden
  bool biases = false;                 ///< on every linear layer
  bool qkv_bias = false;               ///< on the projections of queries, keys and values alone (Qwen 2.5)
  bool qk_norm = false;        ///< RMS norm of the queries and keys of every head (Qwen 3, arXiv 2505.09388)
  bool sandwich_norm = false;  ///< a further norm behind attention and MLP, before each sum (Gemma 2)
  bool post_norm = false;      ///< BERT: norm behind each sum and the embedding; else before each part
  bool layer_norm = false;     ///< two parameters per feature; else RMS norm with one
  bool tied_output = false;    ///< the vocabulary product reuses the embedding
  bool shared_layers = false;  ///< every layer has the same weights (ALBERT)
  bool pooler = false;         ///< BERT's dense layer on the first token
  bool mlm_head = false;       ///< BERT's dense + norm before the vocabulary product
  bool dropout = false;        ///< after attention, MLP and on the attention matrix
  std::int64_t predicted = 0;  ///< positions that reach the vocabulary product; 0: all

  friend bool operator==(const TransformerShape&, const TransformerShape&) = default;
};

/// What a layer of a hybrid is.
enum class LayerPart { state_space, attention, mlp };
/// Of layer 0 to layers - 1. Each comes next when it is furthest behind its share.
std::vector<LayerPart> hybrid_layers(const TransformerShape& shape);
/// Tokens that a token of the layer sees at most; 0: all. Layers count from 0.
std::int64_t attention_window(const TransformerShape& shape, std::int64_t layer);
/// Most tokens of a prompt and its answer together: what is known, else the rows of the position table; 0:
/// not known.
std::int64_t longest_context(const TransformerShape& shape);
/// Whether the layer holds experts; layers count from 0.
bool has_experts(const TransformerShape& shape, std::int64_t layer);

/// Reads "transformer": {"layers": 24, ...}; unknown keys and shapes that do not fit are Errors.
TransformerShape read_transformer_shape(const Json& json);

/// The operators of one forward pass over one sequence of seq_len tokens. Attention FLOPs hold all scores,
/// also with a causal mask. Expert layers do the arithmetic of top_k experts per token and hold the
/// parameters of all. Throws Error if a number is missing or does not fit the others.
Workload transformer_workload(const TransformerShape& shape);

}  // namespace rackcast
