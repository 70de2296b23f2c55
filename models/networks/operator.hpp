#pragma once
/// The vocabulary between workloads (which operators a network runs) and GPU cost models (how long each
/// takes).
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// Arithmetic of a run. `mixed`: 16-bit storage and tensor-core (or, before Volta, fp32) arithmetic, fp32
/// master weights. `fp8` and `fp4` are those of products; maps between them keep 16 bits. The order is the
/// order of the names below.
enum class Precision { fp32, tf32, fp16, mixed, bf16, fp8, int8, fp4 };
std::string_view to_string(Precision);
Precision parse_precision(std::string_view name);  ///< Error lists the known names
Bytes activation_bytes(Precision);                 ///< per element
/// An operand in NVFP4: 4 bits, and 8 more for the scale of each 16 elements (arXiv 2509.25149).
inline constexpr double fp4_bytes = 4.5 / 8;
Bytes gradient_bytes(Precision);  ///< per parameter on the wire, unless a scenario says otherwise

/// Families share a cost law and its fitted parameters.
enum class OperatorFamily {
  gemm,         ///< m x n x k (batched: `count` products)
  conv,         ///< 2-D convolution, groups == 1 or grouped
  depthwise,    ///< groups == channels
  rnn,          ///< recurrent cell, the recurrent product only or with input product
  attention,    ///< softmax(QK^T)V
  elementwise,  ///< bandwidth-bound map: activation, add, dropout, copy
  norm,         ///< batch, layer, group, local-response normalisation
  softmax,
  pool,
  embedding,  ///< gather / scatter-add
  optimizer,  ///< parameter update
};
std::string_view to_string(OperatorFamily);

enum class Pass { forward, data_gradient, weight_gradient };
std::string_view to_string(Pass);

/// Which part of a transformer's layer an operator belongs to.
enum class LayerBlock { other, attention, mlp, experts };

/// What an operator is to its layer. All but `inner` work on the full width of a token, so every GPU of a
/// tensor-parallel group does them whole, or for its part of the tokens under sequence parallelism.
enum class LayerRole {
  inner,
  norm,        ///< normalises tokens between the blocks, not queries and keys inside of one
  dropout,     ///< of what they return
  expert_sum,  ///< of the chosen experts and those that see every token
  residual,    ///< adds what they return to what they read
};

/// Where an operator stands in a transformer; `layer` is 0 outside its layers and in other networks.
struct LayerPlace {
  std::int64_t layer = 0;  ///< from 1
  LayerBlock block = LayerBlock::other;
  LayerRole role = LayerRole::inner;
};

/// Shape of one operator for ONE sample; the batch multiplies it in the cost model. Fields that do not apply
/// are 0. elements_in and elements_out are set for every family; they do not count parameters.
///
/// - gemm: a sample contributes `rows` rows to a (rows * batch) x n x k product (a dense layer: rows = 1).
/// - conv: input c x h x w, n filters of r x s (r may differ from s), strides, groups; output oh x ow.
///   Volumes and several regions per sample are folded into the height, h = regions * depth * height and
///   r = depth of the kernel * height of the kernel: arithmetic, bytes and the implicit GEMM stay exact.
///   A transposed convolution has the shape of the ordinary one whose data gradient it is: its own input is
///   n x oh x ow, its own output c x h x w.
/// - rnn: the recurrent product alone (the input product is a gemm): `steps` products of
///   (gates * hidden) x k, k the width of the recurrent state. gates: 1 vanilla, 3 GRU, 4 LSTM.
/// - attention: heads, seq (queries), kv_seq (keys), head_dim, and v_head_dim where it differs:
///   Q K^T, softmax, and the product with V.
/// - embedding: rows n wide out of k. For several tables, `rows` is the number of tables and `count`
///   that of look-ups.
struct OperatorShape {
  std::int64_t rows = 0, n = 0, k = 0, count = 1;
  std::int64_t c = 0, h = 0, w = 0, r = 0, s = 0, stride_h = 1, stride_w = 1, groups = 1, oh = 0, ow = 0;
  std::int64_t hidden = 0, steps = 0, gates = 0;
  std::int64_t heads = 0, seq = 0, kv_seq = 0, head_dim = 0, v_head_dim = 0;  ///< v_head_dim 0: as head_dim
  double elements_in = 0, elements_out = 0;
  double forked = 0;        ///< concat: maps read and written where the gradients of its branches are added
  bool causal = false;      ///< attention: only half of the scores are needed; FLOP counts still hold all
  bool transposed = false;  ///< conv: forward runs as the data gradient of this convolution, and the reverse

  friend auto operator<=>(const OperatorShape&, const OperatorShape&) = default;
};

/// One layer operator of a network. Its forward and backward kernels follow from family and shape.
struct Operator {
  std::string name;  ///< "layer3.0.conv2"
  std::string kind;  ///< what the workload file calls it: "conv", "relu", "batch_norm"
  OperatorFamily family = OperatorFamily::elementwise;
  LayerPlace place;
  OperatorShape shape;
  double parameters = 0;  ///< weights and biases, trained or frozen
  /// Per sample; matrix arithmetic only (conv, gemm, rnn, attention), a multiply-add counts two. That is how
  /// published counts are made; the other families are bound by memory and their cost follows from
  /// `elements`.
  Flop forward_flop{0};
  /// Per sample, kept for the backward pass: the operator's output if a later operator (or its own backward
  /// pass) needs it, plus what only the backward pass uses (dropout mask: half an element as 1 of 2 bytes).
  double activation_elements = 0;
  double score_elements = 0;  ///< of activation_elements, what a fused (flash) attention kernel does not keep
  std::string output;         ///< shape of the result: "56x56x256", "512 tokens x 768"
  double row_state = 0;       ///< values that the optimizer keeps for each parameter of an embedding table
  bool first_layer = false;   ///< nothing in front of it is trained: no data gradient is computed
  bool frozen = false;        ///< its weights are not trained: no weight gradient, no update
  bool keeps_16_bits = false;  ///< stays in 16 bits where the others run in 8
  bool fusable = false;        ///< a framework that fuses element-wise work hides it in its producer
  bool auxiliary = false;      ///< belongs to a side branch that is used in training only
  bool biased = false;         ///< gemm: a bias is added to its result

  [[nodiscard]] double trained_parameters() const { return frozen ? 0 : parameters; }
};

/// What the source prints, to check our totals against; 0 where it prints none.
struct PublishedCounts {
  double parameters = 0;
  Flop forward_flop{0};          ///< per sample, a multiply-add counts two
  bool auxiliary_heads = false;  ///< `parameters` include branches that serve training only
  double tolerance = 0.01;       ///< share by which our totals may differ; `notes` say why if it is not 1 %
  std::string source, notes;
};

struct TransformerShape;

/// A network, in the order of its forward pass.
struct Workload {
  std::string name, title, task, source;
  PublishedCounts published;
  std::string input_text;  ///< "224x224x3" or "sequence of 512"
  Bytes input_bytes{0};    ///< one sample as it crosses to the GPU (uint8 pixels, int32 tokens)
  double pixels = 0;       ///< of one input image; 0 for other inputs
  std::vector<Operator> operators;
  /// What the operators were made from, where that is a plain transformer: such a network can be split.
  std::shared_ptr<const TransformerShape> transformer = nullptr;

  [[nodiscard]] double parameters() const;
  [[nodiscard]] double trained_parameters() const;   ///< those that have gradients
  [[nodiscard]] Flop forward_flop() const;           ///< per sample
  [[nodiscard]] double activation_elements() const;  ///< per sample
};

}  // namespace rackcast
