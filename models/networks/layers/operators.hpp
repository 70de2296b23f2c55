#pragma once
/// One function per operator: computes shapes, FLOPs and parameters and appends it. The layer kinds of
/// workload files and the transformer generator are both written in these. All throw Error (without a place;
/// the reader adds it) when shapes do not fit. `name` is completed by the builder's prefix.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/networks/network_builder.hpp"

namespace rackcast {

/// One axis of a sliding window: depth, height or width.
struct WindowAxis {
  std::int64_t kernel = 1, stride = 1, pad = 0, dilation = 1;
  bool same = false;  ///< output = ceil(input / stride), as TensorFlow's "SAME"
  bool ceil = false;  ///< a last, partial window counts (Caffe pooling)
};
using Window = std::array<WindowAxis, 3>;

/// Output length of a window along one axis of length `in`; Error if the kernel does not fit.
std::int64_t window_output(std::int64_t in, const WindowAxis& axis);

struct ConvSpec {
  std::int64_t out = 0;
  Window window;
  std::int64_t groups = 1;
  bool bias = true;
};
Flow add_conv(NetworkBuilder&, std::string name, std::string kind, const Flow& in, const ConvSpec&);

/// out = (in - 1) * stride - 2 * pad + kernel + output_pad along each axis.
Flow add_transposed_conv(NetworkBuilder&, std::string name, const Flow& in, const ConvSpec&,
                         std::int64_t output_pad);

struct LinearSpec {
  std::int64_t out = 0;
  bool bias = true;
  std::int64_t stored = 0;  ///< outputs the matrix has, if only `out` of them are computed (sampled softmax)
  bool tied = false;        ///< the matrix is counted elsewhere (an embedding)
  double active = 1;        ///< share of the positions this product sees (masked positions, top_k / experts)
  std::int64_t copies = 1;  ///< parallel matrices, each over `active` of the rows (experts)
  std::int64_t used = 0;    ///< of the copies, those that get rows at all and are read; 0: all
  bool keeps_16_bits = false;  ///< where the others run in 8
};
/// Dense layer on every token, or on a vector; an image is flattened first.
Flow add_linear(NetworkBuilder&, std::string name, std::string kind, const Flow& in, const LinearSpec&);

/// Two matrices with an activation between them, or three (SwiGLU); or several such experts side by side.
struct MlpSpec {
  std::int64_t width = 0;
  bool gated = false;
  bool bias = false;
  std::string activation = "gelu";  ///< where it is not gated
  std::int64_t held = 1, used = 1;  ///< experts, and those that get tokens
};
Flow add_mlp(NetworkBuilder&, const std::string& name, const Flow& in, const MlpSpec&);

/// Scores of all experts for every token, and their softmax. What it returns is not used further.
void add_router(NetworkBuilder&, const Flow& in, std::int64_t experts);
/// Every token copied to its experts in their order, the experts, and what they return gathered again.
/// `chosen` has top_k items; widths of what flows are per token and chosen expert.
Flow add_chosen_experts(NetworkBuilder&, const Flow& chosen, const MlpSpec&);
/// Experts of the held ones that at least one token is sent to, in the mean: each token chooses top_k of all,
/// any as likely as any other, so an expert is missed by all n tokens with (1 - top_k / experts)^n. Where
/// experts are split over GPUs, those that hold the others send their tokens, too. Few tokens (a step of
/// decoding) read the matrices of few experts. At least 1.
std::int64_t used_experts(std::int64_t experts, std::int64_t top_k, std::int64_t held, std::int64_t tokens);

/// An operator without matrix arithmetic that keeps the shape.
Flow add_map(NetworkBuilder&, std::string name, std::string kind, OperatorFamily, const Flow& in, Kept,
             double parameters = 0);
/// Dropout: the backward pass reads a mask of one byte per element, counted as half an element.
Flow add_dropout(NetworkBuilder&, std::string name, const Flow& in);
/// relu, gelu, ...: `keeps_input` if the derivative needs the input rather than the output.
Flow add_activation(NetworkBuilder&, std::string name, std::string kind, const Flow& in, bool keeps_input);

/// Element-wise sum (kind "add") or product ("multiply") of equal shapes; a vector behind the first goes to
/// each of its positions.
Flow add_join(NetworkBuilder&, std::string name, const std::string& kind, const std::vector<Flow>& inputs);
/// Concatenation along the channels.
/// `forked`: elements that are read and written going back, where the gradients of the branches meet.
Flow add_concat(NetworkBuilder&, std::string name, const std::vector<Flow>& inputs, double forked = 0);

/// Look-up of `vocab` x `width` rows, one per token.
Flow add_embedding(NetworkBuilder&, std::string name, const Flow& in, std::int64_t vocab, std::int64_t width,
                   bool tied);

struct AttentionSpec {
  std::int64_t heads = 1, kv_heads = 1, head_dim = 0;
  std::int64_t v_head_dim = 0;  ///< 0: as head_dim
  std::int64_t extra_keys = 0;  ///< cached positions from earlier segments (Transformer-XL)
  bool relative = false;        ///< a projected embedding of distances is scored, too (Transformer-XL)
  bool causal = false;
  std::int64_t window = 0;  ///< tokens that a token sees, itself included; 0: all
  bool bias = true;
  bool qkv_bias = false;        ///< on queries, keys and values, also where `bias` is false
  bool qk_norm = false;         ///< RMS norm of the queries and keys of every head, with weights of their own
  bool dropout = true;          ///< on the attention matrix
  double score_parameters = 0;  ///< learned numbers that are added to the scores (by distance)
};
/// Projections of queries, keys and values, the attention itself and the output projection back to the width
/// of `query`. Keys and values come from `memory` (the same flow for self-attention).
Flow add_attention(NetworkBuilder&, const std::string& name, const Flow& query, const Flow& memory,
                   const AttentionSpec&);
/// Number of keys per query that gives the right number of scores when each query sees only a window of W of
/// the S keys. With a causal mask it is twice the mean number of keys that a query sees, in line with S keys
/// without a window. The window leaves S W - W^2 / 2 scores, hence
///   2 W - W^2 / S keys.
std::int64_t keys_in_window(std::int64_t queries, std::int64_t keys, std::int64_t window, bool causal);
/// softmax(QK^T)V alone; `projected` holds queries, keys and values. Returns heads * v_head_dim features.
/// Kept: the softmax, and with dropout its mask (half) and result, as in Korthikanti et al., arXiv
/// 2205.05198, section 4 (5 a s^2 b bytes at 16 bit).
Flow add_attention_core(NetworkBuilder&, std::string name, const std::vector<Flow>& projected,
                        const TensorShape& query, std::int64_t kv_length, const AttentionSpec&);

/// Additive attention (Bahdanau et al., arXiv 1409.0473): queries and memory projected to `hidden`, a score
/// vector, and the weighted sum of the memory, which is the result.
Flow add_additive_attention(NetworkBuilder&, const std::string& name, const Flow& query, const Flow& memory,
                            std::int64_t hidden);

struct RecurrentSpec {
  std::int64_t hidden = 0;
  std::int64_t gates = 4;
  std::int64_t projection = 0;  ///< 0: none
  std::int64_t biases = 2;      ///< bias vectors per gate: cuDNN and PyTorch keep two
  bool bidirectional = false;
  bool sum_directions = false;  ///< add the two directions instead of concatenating them
  bool shared_input = false;    ///< one input product serves both directions
};
/// One recurrent layer over a sequence: the input product (gemm) and a recurrent product (rnn) per direction.
Flow add_recurrent(NetworkBuilder&, const std::string& name, const std::string& kind, const Flow& in,
                   const RecurrentSpec&);

}  // namespace rackcast
