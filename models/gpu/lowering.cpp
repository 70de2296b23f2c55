#include "models/gpu/lowering.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/gpu/rates_of.hpp"
#include "topologies/hardware/architecture_spec.hpp"

namespace rackcast {
namespace {

/// The unit and operand width that a precision uses on a GPU.
struct Unit {
  Arithmetic arithmetic;
  FlopRate peak;
  double bytes;
};

Unit vector_unit(const GpuRates& gpu, double bytes) {
  return {bytes < 4 ? Arithmetic::half_storage : Arithmetic::fp32, gpu.fp32, bytes};
}

Unit unit_of(Precision precision, const GpuRates& gpu) {
  const auto first = [&](FlopRate peak, double bytes) {
    return peak > FlopRate{0} ? Unit{Arithmetic::tensor, peak, bytes} : vector_unit(gpu, bytes);
  };
  switch (precision) {
    case Precision::fp32:
      return vector_unit(gpu, 4);
    case Precision::tf32:
      return first(gpu.tf32_tensor, 4);
    case Precision::fp16:
    case Precision::mixed:
      return first(gpu.fp16_tensor, 2);
    case Precision::bf16:
      return first(gpu.bf16_tensor, 2);
    case Precision::fp8:
      return gpu.fp8_tensor > FlopRate{0} ? Unit{Arithmetic::fp8, gpu.fp8_tensor, 1}
                                          : first(gpu.fp16_tensor, 2);
    case Precision::fp4:
      return gpu.fp4_tensor > FlopRate{0} ? Unit{Arithmetic::fp4, gpu.fp4_tensor, fp4_bytes}
                                          : first(gpu.fp16_tensor, 2);
    case Precision::int8:
      break;
  }
  if (gpu.int8 <= FlopRate{0}) return vector_unit(gpu, 4);
  // Volta's tensor cores have no int8: its int8 rate is that of dot-product instructions, below the fp16
  // rate.
  const bool matrix_units = gpu.fp16_tensor > FlopRate{0} && gpu.int8 > gpu.fp16_tensor;
  return {matrix_units ? Arithmetic::tensor : Arithmetic::int8, gpu.int8, 1};
}

bool is_narrow(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::fp4;
}

/// Recipes with fp8 keep attention in 16 bits (Transformer Engine: DotProductAttention, unless fp8_dpa is
/// set; TensorRT-LLM: use_fp8_context_fmha is off unless asked for), and the product with the vocabulary and
/// the router of experts (Megatron-Core: ColumnParallelLinear, not a layer of Transformer Engine; TensorRT
/// Model Optimizer leaves "lm_head" and "router" out). Those with 4 bits do the same.
Precision multiplied_in(const Operator& op, Precision precision) {
  const bool wide = op.keeps_16_bits || op.family == OperatorFamily::attention;
  return is_narrow(precision) && wide ? Precision::fp16 : precision;
}

/// Rate of tensor-core products with an odd number of columns against an even one: rows of odd length begin
/// at odd addresses and cannot be loaded wide. (Odd inputs, 13 and 479 wide in recommenders, are padded by
/// the scripts that we have measurements of.) GPT-2 of 124 million parameters on an A100 (bf16, compiled)
/// makes 112,046 tokens/s with 50,257 words and 127,345 with 50,304 (github.com/rasbt/LLMs-from-scratch,
/// ch05/10_llm-training-speed): 1.07 us longer per token, whose products with the vocabulary take 1.0 us of
/// the 7.85 with even sides (232 MFLOP at 230 TFLOP/s).
constexpr double odd_share = 0.48;

/// What it reads of an operator is the key of models/frameworks/known_kernels.hpp.
class Lowering {
 public:
  Lowering(const Operator& op, double batch, Precision precision, const GpuRates& gpu,
           const LoweringOptions& options)
      : op_{op},
        s_{op.shape},
        batch_{batch},
        // fp8 training keeps its maps in 16 bits; only the products read 8.
        element_{is_narrow(precision) ? 2 : activation_bytes(precision).base()},
        unit_{unit_of(multiplied_in(op, precision), gpu)},
        gpu_{gpu},
        options_{options} {}

  std::vector<KernelCall> calls(Pass pass) const {
    if (pass == Pass::data_gradient && op_.first_layer) return {};
    if (pass == Pass::weight_gradient && op_.frozen) return {};
    switch (op_.family) {
      case OperatorFamily::gemm:
        return gemm(pass);
      case OperatorFamily::conv:
        return {conv(pass)};
      case OperatorFamily::depthwise:
        return {depthwise(pass)};
      case OperatorFamily::rnn:
        return {recurrent(pass)};
      case OperatorFamily::attention:
        return attention(pass);
      case OperatorFamily::embedding:
        return embedding(pass);
      case OperatorFamily::optimizer:
        return optimizer(pass);
      default:
        return map(pass);
    }
  }

 private:
  [[nodiscard]] KernelCall product(MatrixShape shape) const {
    KernelCall call;
    call.kind = KernelClass::gemm;
    call.matrix = shape;
    call.result_bytes = element_;
    use_unit(call, aligned(shape.m) && aligned(shape.n) && aligned(shape.k));
    return call;
  }

  /// A multiple of 8, as far as a mean batch of sentences times their length can be one.
  [[nodiscard]] static bool aligned(double side) {
    return std::abs(side - 8 * std::round(side / 8)) <= 1e-9 * side;
  }

  /// Until cuBLAS 11, a product ran on the tensor cores only if every side was a multiple of 8 (NVIDIA, "Deep
  /// Learning Performance Guide"); otherwise the operands stay narrow and the arithmetic is fp32.
  void use_unit(KernelCall& call, bool whole) const {
    const bool falls_back =
        on_matrix_units(unit_.arithmetic) && !whole && options_.library < LibraryGeneration::cudnn8;
    const Unit unit = falls_back ? vector_unit(gpu_, unit_.bytes) : unit_;
    call.arithmetic = unit.arithmetic;
    call.peak = unit.peak;
    call.element_bytes = unit.bytes;
  }

  /// Time of statistics over a batch against moving the same bytes.
  [[nodiscard]] double reduction_cost() const { return architecture_of(gpu_).statistics_slowdown; }

  /// Older GPUs have lower clocks, at which nobody timed what threads do number by number. (Nor did anybody
  /// with older libraries than cuDNN 8.)
  [[nodiscard]] bool has_matrix_units() const { return gpu_.fp16_tensor > FlopRate{0}; }

  [[nodiscard]] KernelCall stream(KernelClass kind, double bytes) const {
    KernelCall call;
    call.kind = kind;
    call.moved_bytes = bytes;
    return call;
  }

  [[nodiscard]] std::vector<KernelCall> gemm(Pass pass) const {
    if (op_.kind == "experts") return experts(pass);
    const auto n = static_cast<double>(s_.n), k = static_cast<double>(s_.k);
    // An interaction of a sample's own vectors is one product per sample; a layer multiplies all rows at
    // once.
    const bool per_sample = op_.kind == "dot_interaction";
    const double rows = static_cast<double>(s_.rows) * (per_sample ? 1 : batch_);
    const double count = static_cast<double>(s_.count) * (per_sample ? batch_ : 1);
    if (per_sample && pass == Pass::weight_gradient) return {stream(KernelClass::elementwise, 0)};
    KernelCall multiply = pass == Pass::forward         ? product({rows, n, k, count})
                          : pass == Pass::data_gradient ? product({rows, k, n, count})
                                                        : product({n, k, rows, count});
    if (on_matrix_units(multiply.arithmetic) && s_.n > 1) {
      if (!options_.pads_rows && !(whole_rows(s_.n) && whole_rows(s_.k)))
        multiply.peak = older_instructions();
      if (s_.n % 2 != 0 && unit_.bytes <= 2) multiply.peak = odd_share * multiply.peak;
    }
    std::vector<KernelCall> calls{multiply};
    if (pass == Pass::forward) return calls;
    // Training in 8 or 4 bits (Transformer Engine): each operand is read in 16 bits, and written narrow along
    // both of its sides: the layer's input for its weights' gradient, and its output's gradient. A forward
    // pass alone takes its input from a kernel that writes it narrow.
    if (unit_.bytes <= 1 && element_ == 2)
      calls.push_back(stream(KernelClass::elementwise, (element_ + 2 * unit_.bytes) * rows * count *
                                                           (pass == Pass::data_gradient ? n : k)));
    return calls;
  }

  /// Hopper's products are fed by copies of whole tiles (TMA), which need rows of a multiple of 16 bytes
  /// (CUDA Driver API, cuTensorMapEncodeTiled: globalStrides); others run with Ampere's
  /// instructions. An H200 in bf16: 16384 x 1024 by 30,522 words at 253 to 269 TFLOP/s, some 700 with even
  /// rows; in TF32, 8192 x 768 by 50,257 words at 117 to 130, 327 with even rows.
  [[nodiscard]] bool whole_rows(std::int64_t columns) const {
    return unit_.bytes < 2 || std::fmod(static_cast<double>(columns) * unit_.bytes, 16) == 0;
  }

  [[nodiscard]] ConvolutionShape convolution() const {
    const auto d = [](std::int64_t v) {
      return static_cast<double>(v);
    };
    return {batch_,  d(s_.c),        d(s_.h),        d(s_.w),  d(s_.n),  d(s_.r),
            d(s_.s), d(s_.stride_h), d(s_.stride_w), d(s_.oh), d(s_.ow), d(s_.groups)};
  }

  [[nodiscard]] KernelCall conv(Pass pass) const {
    if (s_.transposed && pass != Pass::weight_gradient)
      pass = pass == Pass::forward ? Pass::data_gradient : Pass::forward;
    KernelCall call;
    call.kind = pass == Pass::forward         ? KernelClass::conv_forward
                : pass == Pass::data_gradient ? KernelClass::conv_data_gradient
                                              : KernelClass::conv_weight_gradient;
    call.conv = convolution();
    call.algorithms = options_.algorithms;
    call.workspace = options_.workspace;
    call.fused_groups = options_.library >= LibraryGeneration::cudnn7;
    use_unit(call, true);  // the library pads the channels
    // cuDNN 9 has weight gradients in TF32 with Ampere's instructions alone: an H200 makes 219 TFLOP/s at
    // most, forward 434.
    const bool tf32 = call.arithmetic == Arithmetic::tensor && unit_.bytes == 4;
    if (tf32 && call.kind == KernelClass::conv_weight_gradient) call.peak = older_instructions();
    return call;
  }

  /// A filter per channel has no product to tile: it streams its maps.
  [[nodiscard]] KernelCall depthwise(Pass pass) const {
    const double maps = (op_.shape.elements_in + op_.shape.elements_out) * batch_ * element_;
    // Overlapping windows are re-read past the caches; the weight gradient reduces over all positions.
    const double reread = pass == Pass::weight_gradient ? 2.0 : 1.3;
    return stream(KernelClass::elementwise, maps * reread);
  }

  [[nodiscard]] KernelCall recurrent(Pass pass) const {
    const double cell = static_cast<double>(s_.gates) * static_cast<double>(s_.hidden);
    const auto state = static_cast<double>(s_.k > 0 ? s_.k : s_.hidden),
               steps = static_cast<double>(s_.steps);
    if (pass == Pass::weight_gradient) return product({cell, state, batch_ * steps, 1});
    KernelCall call =
        pass == Pass::forward ? product({cell, batch_, state, 1}) : product({state, batch_, cell, 1});
    call.kind = pass == Pass::forward ? KernelClass::recurrent_forward : KernelClass::recurrent_data_gradient;
    call.steps = steps;
    return call;
  }

  /// Ampere's instructions (mma.sync) on Hopper and later. FlashAttention-2 reaches 35 % of the H100's peak,
  /// FlashAttention-3, with Hopper's own, 75 % (Shah et al., arXiv 2407.08608): 0.47 of 989 TFLOP/s on 132
  /// SMs. On a B200's 148 SMs that gives FlashAttention-2 390 TFLOP/s, and 343 to 381 are reported
  /// (github.com/Dao-AILab/flash-attention, issue 1589). TF32 takes twice as long.
  [[nodiscard]] FlopRate older_instructions() const {
    const FlopRate own = on_matrix_units(unit_.arithmetic) ? unit_.peak : gpu_.tf32_tensor;
    if (!architecture_of(gpu_).own_attention_instructions) return own;
    constexpr double share_of_own = 0.47, h100_peak = 989.4e12, h100_sms = 132;
    const double width = std::max(1.0, unit_.bytes / 2);
    return std::min(own, FlopRate{share_of_own * h100_peak / h100_sms / width * gpu_.sm_count});
  }

  /// In 32 bits scaled_dot_product_attention is one kernel of three products in TF32 for each in fp32
  /// (PyTorch, aten/src/ATen/native/transformers/cuda/mem_eff_attention/gemm_kernel_utils.h, DefaultGemmType:
  /// OpMultiplyAddFastF32), with the instructions of Ampere. An H200 makes 20 TFLOP/s forward and 21 to 25
  /// going back, 197 to 1024 tokens, heads of 64.
  [[nodiscard]] KernelCall efficient(MatrixShape shape, Pass pass) const {
    KernelCall call;
    call.kind = pass == Pass::forward ? KernelClass::flash2_forward : KernelClass::flash2_backward;
    call.arithmetic = Arithmetic::tensor;
    call.peak = std::min(gpu_.tf32_tensor, older_instructions()) / 3.0;
    call.element_bytes = 4;
    call.matrix = shape;
    call.causal = s_.causal;
    return call;
  }

  [[nodiscard]] KernelCall fused(MatrixShape shape, Pass pass) const {
    const bool first = options_.attention == AttentionKernel::flash1, forward = pass == Pass::forward;
    KernelCall call;
    call.kind = first ? (forward ? KernelClass::flash1_forward : KernelClass::flash1_backward)
                      : (forward ? KernelClass::flash2_forward : KernelClass::flash2_backward);
    call.arithmetic = unit_.arithmetic;
    call.peak = options_.attention == AttentionKernel::native ? unit_.peak : older_instructions();
    call.element_bytes = unit_.bytes;
    call.matrix = shape;
    call.causal = s_.causal;
    return call;
  }

  /// Scores that are no product: v . tanh(query + key + bias) of every pair, one map after the other as in
  /// github.com/NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT/seq2seq/models/attention.py,
  /// calc_score. Of the map of pairs times width that is, forward: the sum written, the bias read and
  /// written, tanh read and written, the map read by the product with v. Back: its gradient written and the
  /// map read for v's; tanh's gradient reads two and writes one; the sums for bias, queries and keys read one
  /// each.
  [[nodiscard]] std::vector<KernelCall> additive_attention(Pass pass) const {
    const auto q = static_cast<double>(s_.seq), kv = static_cast<double>(s_.kv_seq),
               v = static_cast<double>(s_.v_head_dim), count = static_cast<double>(s_.heads) * batch_;
    const double scores = q * kv * count * element_, map = scores * static_cast<double>(s_.head_dim);
    const bool forward = pass == Pass::forward;
    std::vector<KernelCall> calls{product({q, v, kv, count})};
    if (!forward) calls = {product({q, kv, v, count}), product({kv, v, q, count})};
    calls.push_back(stream(KernelClass::softmax, (forward ? 2 : 3) * scores));
    calls.push_back(stream(KernelClass::elementwise, (forward ? 6 : 8) * map));
    return calls;
  }

  /// One new token for each request. Keys and values are read once for all heads that share them.
  [[nodiscard]] std::vector<KernelCall> decode_attention(KernelClass kind) const {
    const auto d = [](std::int64_t v) {
      return static_cast<double>(v);
    };
    const double moved = op_.shape.elements_in * batch_ * element_;
    if (unit_.arithmetic != Arithmetic::tensor) return {stream(KernelClass::elementwise, moved)};
    KernelCall call;
    call.kind = kind;
    call.arithmetic = unit_.arithmetic;
    call.peak = unit_.peak;
    call.element_bytes = unit_.bytes;
    const std::int64_t value_dim = s_.v_head_dim ? s_.v_head_dim : s_.head_dim;
    call.matrix = {d(s_.heads), d(s_.kv_seq), d(s_.head_dim + value_dim) / 2, d(s_.count) * batch_};
    call.moved_bytes = moved;
    return {call};
  }

  /// All experts of a layer that its tokens meet, as servers run them: `gates` are the matrices of one, which
  /// gives `rows` rows of width k the width n inside.
  [[nodiscard]] std::vector<KernelCall> experts(Pass pass) const {
    if (pass != Pass::forward) return {};
    const auto rows = static_cast<double>(s_.rows) * batch_, n = static_cast<double>(s_.n),
               k = static_cast<double>(s_.k), count = static_cast<double>(s_.count),
               matrices = static_cast<double>(s_.gates);
    if (!on_matrix_units(unit_.arithmetic))
      return {product({rows, (matrices - 1) * n, k, count}), product({rows, k, n, count}),
              stream(KernelClass::elementwise, rows * count * (2 * k + matrices * n) * element_)};
    KernelCall call;
    call.kind = KernelClass::experts;
    call.arithmetic = unit_.arithmetic;
    call.peak = unit_.peak;
    call.element_bytes = unit_.bytes;
    call.matrices = matrices;
    call.matrix = {rows, n, k, count};
    return {call};
  }

  [[nodiscard]] std::vector<KernelCall> attention(Pass pass) const {
    if (pass == Pass::weight_gradient) return {};
    if (op_.kind == "decode_attention") return decode_attention(KernelClass::decode_attention);
    if (op_.kind == "latent_decode_attention") return decode_attention(KernelClass::latent_decode_attention);
    if (op_.kind == "additive_attention") return additive_attention(pass);
    const auto q = static_cast<double>(s_.seq), kv = static_cast<double>(s_.kv_seq),
               d = static_cast<double>(s_.head_dim),
               v = static_cast<double>(s_.v_head_dim ? s_.v_head_dim : s_.head_dim),
               count = static_cast<double>(s_.heads) * batch_;
    if (options_.attention != AttentionKernel::unfused) {
      const MatrixShape shape{q, kv, (d + v) / 2, count};
      if (unit_.arithmetic == Arithmetic::tensor && unit_.bytes == 2) return {fused(shape, pass)};
      if (unit_.bytes == 4 && gpu_.tf32_tensor > FlopRate{0}) return {efficient(shape, pass)};
    }
    std::vector<KernelCall> calls{product({q, kv, d, count}), product({q, v, kv, count})};
    if (pass == Pass::data_gradient)
      calls = {product({q, kv, v, count}), product({kv, v, q, count}), product({q, d, kv, count}),
               product({kv, d, q, count})};
    const double scores = q * kv * count * element_;
    const double softmax = pass == Pass::forward ? 2 : 3;
    calls.push_back(stream(KernelClass::softmax, softmax * scores));
    calls.push_back(stream(KernelClass::elementwise, 4 * scores));  // scale and mask; dropout
    return calls;
  }

  /// Rows of tables are read, and going back read and written, as fp32: nobody keeps a 16-bit copy of tables
  /// that hardly fit. What is looked up for one feature is added up.
  [[nodiscard]] std::vector<KernelCall> tables(Pass pass) const {
    if (pass == Pass::data_gradient) return {};
    const double stored = static_cast<double>(s_.count * s_.n) * batch_ * std::max(4.0, element_);
    const double features = static_cast<double>(s_.rows * s_.n) * batch_ * element_;
    return {stream(KernelClass::elementwise, features + stored * (pass == Pass::forward ? 1 : 2))};
  }

  [[nodiscard]] std::vector<KernelCall> embedding(Pass pass) const {
    if (op_.kind == "embedding_tables" && options_.fused_tables) return tables(pass);
    if (pass == Pass::data_gradient) return {};
    // Every row that is looked up is read, and going back read and written; the vector of a feature, their
    // sum, once.
    const bool summed = op_.kind == "embedding_tables";
    const double vectors = summed ? static_cast<double>(s_.rows * s_.n) : op_.shape.elements_out;
    const double rows = summed ? static_cast<double>(s_.count * s_.n) : vectors;
    const double elements = vectors + rows * (pass == Pass::forward ? 1 : 2);
    return {stream(KernelClass::embedding, elements * batch_ * element_)};
  }

  [[nodiscard]] std::vector<KernelCall> optimizer(Pass pass) const {
    if (pass != Pass::forward) return {};
    return {stream(KernelClass::elementwise, 4 * (op_.shape.elements_in + op_.shape.elements_out))};
  }

  /// Everything that reads and writes whole maps.
  [[nodiscard]] std::vector<KernelCall> map(Pass pass) const {
    if (pass == Pass::weight_gradient) return {};
    const double in = op_.shape.elements_in * batch_ * element_,
                 out = op_.shape.elements_out * batch_ * element_;
    const bool forward = pass == Pass::forward;
    switch (op_.family) {
      case OperatorFamily::norm:
        if (op_.kind == "batch_norm") {
          const double moved = forward ? 2 * in + out : 3 * in + 2 * out;
          KernelCall statistics = stream(KernelClass::elementwise, reduction_cost() * moved);
          const bool planar = options_.planar_maps == PlanarMaps::always ||
                              (options_.planar_maps == PlanarMaps::wide && element_ >= 4);
          if (planar && has_matrix_units() && options_.library >= LibraryGeneration::cudnn8)
            statistics.single_words = moved / element_;
          return {statistics};
        }
        // Statistics over whole planes need a pass of their own; those of a row of features stay on the chip.
        if (forward && (op_.kind == "group_norm" || op_.kind == "instance_norm"))
          return {stream(KernelClass::norm, 2 * in + out)};
        return {stream(KernelClass::norm, forward ? in + out : 3 * in + 2 * out)};
      case OperatorFamily::softmax:
        return {stream(KernelClass::softmax, forward ? in + out : in + 2 * out)};
      case OperatorFamily::pool: {
        const bool largest = op_.kind == "max_pool";
        KernelCall pool = stream(KernelClass::elementwise, forward || !largest ? in + out : 2 * in + 2 * out);
        if (largest && options_.single_windows && has_matrix_units())
          pool.single_words = (forward ? 1 : 2) * static_cast<double>(s_.r * s_.s) * out / element_;
        return {pool};
      }
      default:
        break;
    }
    const bool copies =
        op_.kind == "add" || op_.kind == "concat" || op_.kind == "dropout" || op_.kind == "frozen_norm";
    const double sums = forward ? 0 : s_.forked * batch_ * element_;
    return {stream(KernelClass::elementwise, (forward || copies ? in + out : in + 2 * out) + sums)};
  }

  const Operator& op_;
  const OperatorShape& s_;
  double batch_, element_;
  Unit unit_;
  const GpuRates& gpu_;
  const LoweringOptions& options_;
};

}  // namespace

std::vector<KernelCall> lower(const Operator& op, Pass pass, double batch, Precision precision,
                              const GpuRates& gpu, const LoweringOptions& options) {
  return Lowering{op, batch, precision, gpu, options}.calls(pass);
}

}  // namespace rackcast
