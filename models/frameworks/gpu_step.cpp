#include "models/frameworks/gpu_step.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "models/frameworks/framework_parameters.hpp"
#include "models/frameworks/known_kernels.hpp"
#include "models/frameworks/stream.hpp"
#include "models/mechanism_spread.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Weights and biases, or scale and shift.
double tensors_of(const Operator& op) {
  if (op.trained_parameters() <= 0) return 0;
  return op.family == OperatorFamily::norm || op.family == OperatorFamily::gemm ? 2 : 1;
}

bool on_tensor_cores(const GpuCostModel& gpu, Precision precision) {
  return gpu.gpu().fp16_tensor > FlopRate{0} && precision != Precision::fp32 && precision != Precision::int8;
}

/// Whether its result is computed once more going back.
bool runs_again(const Operator& op, Recomputation recompute) {
  return recompute == Recomputation::full ||
         (recompute == Recomputation::selective && op.family == OperatorFamily::attention);
}

class StepBuilder {
 public:
  StepBuilder(const GpuCostModel& gpu, const FrameworkProfile& framework, const StepOptions& options)
      : gpu_{gpu}, framework_{framework}, options_{options} {}

  /// How an operator runs among its neighbours.
  struct Setting {
    bool wide = false;   ///< on maps that were promoted to 32 bits
    bool alone = false;  ///< nothing to fuse with
  };
  [[nodiscard]] std::vector<Setting> settings(const std::vector<Operator>& operators) const {
    std::vector<Setting> out(operators.size());
    const std::vector<bool> wide = promoted(operators), single = alone(operators);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {wide[i], single[i]};
    return out;
  }

  void run(const Operator& op, Pass pass, Setting setting, Stream& stream) {
    const bool wide = setting.wide;
    const LayerSum& sum = pass == Pass::forward ? options_.forward_sum : options_.backward_sum;
    if (sum.time > Duration{0} &&
        (pass == Pass::forward ? op.place.role == LayerRole::residual
                               : pass == Pass::data_gradient && op.place.role == LayerRole::norm))
      stream.sum(sum);
    if (const int more = kernels_beside(op, pass); more > 0 && !setting.alone) stream.issue(pass, more);
    if (hidden(op, pass) && !setting.alone) return;
    const Precision precision = wide ? Precision::fp32 : options_.precision;
    const auto [cost, layout] = known_.of(op, pass, precision, [&] { return kernels(op, pass, precision); });
    if (cost.time <= Duration{0}) return;
    shared_ += cost.shared_sigma * cost.time;
    kernels_ += cost.time;
    const int issues = kernels_of(op, pass, wide);
    const Duration body =
        counted(op) ? composed_time(op, pass) : (cost.time - cost.launch) * factor(op) * maps_of(op, pass);
    Duration time =
        issues * cost.launch + body + layout + unrolling(op) + unfused(op, pass) + weight_casts(op, pass);
    if (wide) time += casts(op, pass);
    stream.run(&op, pass, time, cost.limit, issues);
  }

  void add_gradient(const Operator& op, Stream& stream) const {
    const Bytes moved = op.trained_parameters() * options_.gradient_sum;
    if (moved > Bytes{0})
      stream.run(&op, Pass::weight_gradient, moved / (gpu_.gpu().memory * stream_fraction),
                 KernelCost::Limit::memory, 0);
  }

  /// Which maps are a kernel of their own although the compiler fuses maps: products and convolutions are
  /// calls of a library, and between two of them is nothing but maps, which become one kernel. Counted is the
  /// first of them.
  [[nodiscard]] std::vector<bool> alone(const std::vector<Operator>& operators) const {
    std::vector<bool> out(operators.size(), false);
    if (!framework_.library_products) return out;
    std::optional<std::size_t> first;  // map since the last library call
    bool joins = false;                // a kernel that is there anyway
    const auto close = [&] {
      if (first && !joins) out[*first] = true;
      first.reset();
      joins = false;
    };
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const Operator& op = operators[i];
      if (of_library(op)) {
        close();
      } else if (!hidden(op, Pass::forward)) {
        joins = true;
      } else if (op.fusable && !vanishes(op) && !first) {
        first = i;
      }
    }
    close();
    return out;
  }

  /// Which operators of the network work on promoted maps: normalisations with constant statistics and what
  /// follows up to the next product, and regions cut from feature maps, which such scripts keep in 32 bits.
  /// Under autocast: normalisations over a layer, what follows up to the next product, and the sums of
  /// residual blocks, whose one side comes from a normalisation.
  [[nodiscard]] std::vector<bool> promoted(const std::vector<Operator>& operators) const {
    std::vector<bool> out(operators.size());
    if (autocast()) {
      bool wide = false;
      const bool residual = std::ranges::any_of(operators, over_layer);
      for (std::size_t i = 0; i < operators.size(); ++i) {
        wide = over_layer(operators[i]) || (wide && operators[i].family == OperatorFamily::elementwise);
        out[i] = wide || (residual && operators[i].kind == "add");
      }
      return out;
    }
    if (framework_.frozen_norm != FrozenNorm::promoted || activation_bytes(options_.precision) >= Bytes{4})
      return out;
    bool wide = false;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const Operator& op = operators[i];
      const bool map = op.family == OperatorFamily::elementwise || op.family == OperatorFamily::pool;
      wide = op.kind == "frozen_norm" || (wide && map && op.kind != "roi_align");
      out[i] = wide || op.kind == "roi_align";
    }
    return out;
  }

  /// A kernel that does next to nothing.
  [[nodiscard]] Duration shortest_kernel() const {
    Operator op;
    op.shape.elements_in = op.shape.elements_out = 1;
    return gpu_.cost(op, Pass::forward, 1, Precision::fp32).time;
  }

  /// What the kernels share of their error because their parameters come from other GPUs, each weighing as
  /// its time.
  [[nodiscard]] double shared_sigma() const { return kernels_ > Duration{0} ? shared_ / kernels_ : 0; }

  /// Read gradient and state, write state, for every parameter; for mixed precision also the 16-bit copy.
  void update(const Workload& workload, Stream& stream) const {
    const double accesses = options_.adam ? framework_.adam_accesses : framework_.sgd_accesses;
    const bool master = activation_bytes(options_.precision) < Bytes{4};
    // Autocast keeps no copy in 16 bits: every forward pass makes it.
    const bool copy = master && !framework_.counts_casts;
    const Bytes moved{workload.trained_parameters() * (4 * accesses + (copy ? 4 : 0))};
    double tensors = 0;
    for (const Operator& op : workload.operators) tensors += tensors_of(op);
    const Duration time =
        tensors * framework_.update_per_tensor + moved / (gpu_.gpu().memory * stream_fraction);
    stream.run(nullptr, Pass::forward, time, KernelCost::Limit::memory);
  }

 private:
  /// The kernels of an operator. TF32 is permitted, not demanded (cuDNN, cudnnMathType_t): the library's
  /// choice is taken to be the faster of that and fp32. A builder that mixes
  /// formats takes those of 16 bits where they are faster.
  [[nodiscard]] OperatorKernels kernels(const Operator& op, Pass pass, Precision precision) const {
    const OperatorKernels own{gpu_.cost(op, pass, options_.batch, precision), conversion(op, precision)};
    const bool narrower = framework_.mixes_formats && activation_bytes(precision) < Bytes{2};
    if (!narrower && precision != Precision::tf32) return own;
    const Precision wider = narrower ? Precision::fp16 : Precision::fp32;
    const OperatorKernels other{gpu_.cost(op, pass, options_.batch, wider), conversion(op, wider)};
    return std::ranges::min(own, other, {}, [](const OperatorKernels& k) { return k.cost.time + k.layout; });
  }

  /// torch.autocast around a forward pass: normalisation over a layer and softmax compute in 32 bits and
  /// leave 32 bits; batch normalisation keeps its input's width (PyTorch, "CUDA Ops that can autocast to
  /// float32"). In training the fitted passes of most profiles have these casts in them.
  [[nodiscard]] bool autocast() const {
    if (framework_.dispatch != Dispatch::eager) return false;
    const bool bf16 = options_.precision == Precision::bf16, mixed = options_.precision == Precision::mixed;
    return options_.training ? framework_.counts_casts && (mixed || bf16) : mixed;
  }
  static bool over_layer(const Operator& op) {
    return op.family == OperatorFamily::norm && op.kind != "batch_norm" && op.kind != "frozen_norm";
  }

  static bool of_library(const Operator& op) {
    switch (op.family) {
      case OperatorFamily::gemm:
      case OperatorFamily::conv:
      case OperatorFamily::depthwise:
      case OperatorFamily::rnn:
      case OperatorFamily::attention:
        return true;
      default:
        return false;
    }
  }

  /// Of training alone. Without it a dropout returns its input.
  [[nodiscard]] bool vanishes(const Operator& op) const {
    return !options_.training && (op.auxiliary || op.kind == "dropout");
  }

  [[nodiscard]] bool hidden(const Operator& op, Pass pass) const {
    if (vanishes(op)) return true;
    if (framework_.frozen_norm == FrozenNorm::folded && (op.kind == "frozen_norm" || stored_statistics(op)))
      return true;
    const bool fused_pass = pass == Pass::forward || !framework_.fuses_forward_only;
    return framework_.fuses_elementwise && fused_pass && op.fusable;
  }

  [[nodiscard]] bool stored_statistics(const Operator& op) const {
    return !options_.training && op.kind == "batch_norm";
  }

  [[nodiscard]] double factor(const Operator& op) const {
    switch (op.family) {
      case OperatorFamily::elementwise:
        return framework_.elementwise_passes * (op.kind == "gelu" ? framework_.composed_passes : 1);
      case OperatorFamily::softmax:
        return is_loss(op) && activation_bytes(options_.precision) < Bytes{4} ? framework_.loss_passes : 1;
      case OperatorFamily::norm:
        // With stored statistics a map is read and written once; with those of the batch it is read twice.
        return framework_.norm_passes * (stored_statistics(op) ? 2.0 / 3 : 1);
      case OperatorFamily::conv:
      case OperatorFamily::depthwise:
        return framework_.kernel_factor *
               (options_.precision == Precision::int8 ? framework_.int8_factor : 1);
      case OperatorFamily::gemm:
      case OperatorFamily::rnn:
        return framework_.kernel_factor;
      case OperatorFamily::attention:
        return framework_.attention == AttentionKernel::unfused ? 1 : framework_.attention_factor;
      default:
        return 1;
    }
  }

  [[nodiscard]] bool is_loss(const Operator& op) const { return options_.training && op.place.layer == 0; }

  /// Put together from simple operators whose traffic is counted, or a part of it is.
  [[nodiscard]] bool counted(const Operator& op) const { return framework_.composed.of(op.kind).stated(); }

  [[nodiscard]] Duration composed_time(const Operator& op, Pass pass) const {
    const double width = activation_bytes(options_.precision).base();
    const double bytes =
        framework_.composed.bytes(framework_.composed.of(op.kind), pass == Pass::forward, width);
    return Bytes{op.shape.elements_out * options_.batch * bytes} / (gpu_.gpu().memory * stream_fraction);
  }

  [[nodiscard]] bool composed(const Operator& op) const {
    return op.kind == "frozen_norm" &&
           (framework_.frozen_norm == FrozenNorm::composed || framework_.frozen_norm == FrozenNorm::promoted);
  }

  /// Forward a product and a sum, each of which reads and writes the map; back the product alone.
  [[nodiscard]] double maps_of(const Operator& op, Pass pass) const {
    return composed(op) && pass == Pass::forward ? 2 : 1;
  }

  /// What the host starts for one operator. A composed normalisation: the inverse root, two products and a
  /// difference of vectors, then the two maps; promoted, its four vectors are cast too. Casts of maps count.
  [[nodiscard]] int kernels_of(const Operator& op, Pass pass, bool wide) const {
    // The host's pace was fitted on trainings in mixed precision without these casts.
    if (autocast()) return wide && over_layer(op) && !options_.training ? 2 : 1;
    if (!composed(op)) return wide && op.kind == "roi_align" ? 3 : 1;
    const int casts_of_maps = wide ? 2 : 0;
    if (pass != Pass::forward) return 1 + casts_of_maps;
    return 6 + (wide ? 4 : 0) + casts_of_maps;
  }

  /// Kernels that an eager program starts for an operator beside the one (of the products, the two) that is
  /// counted. Attention without a kernel of its own, forward: its second product, scale, mask, softmax,
  /// dropout, copies of queries, keys and values into the order of heads, and one back. Kernels that fuse
  /// maps have scale and mask in the softmax, and read heads in place; their bias, dropout and sum are one
  /// kernel, their bias and activation another, whose traffic is in the products. Going back, each product
  /// has two gradients, and a bias the sum over rows.
  [[nodiscard]] int kernels_beside(const Operator& op, Pass pass) const {
    if (framework_.dispatch != Dispatch::eager) return 0;
    const bool fused = framework_.fuses_elementwise;
    const int dropout = options_.training ? 1 : 0;
    if (op.family == OperatorFamily::attention && op.kind == "attention" && pass != Pass::weight_gradient) {
      if (framework_.attention != AttentionKernel::unfused) return 1;
      const int products = pass == Pass::forward ? 1 : 3;
      return products + dropout + (fused ? 2 : 7);
    }
    if (op.family == OperatorFamily::gemm && op.biased && pass == Pass::weight_gradient) return 1;
    return hidden(op, pass) && !op.auxiliary && op.kind != "dropout" && pass != Pass::weight_gradient ? 1 : 0;
  }

  /// Into 32 bits before and out of them after: 16 bits read and 32 written, or the reverse. The maps between
  /// a normalisation and the next product are cast once, so what follows a normalisation pays nothing.
  /// Under autocast the map that follows a normalisation over a layer is narrowed for the next product, and
  /// going back its gradient is widened; that of a residual sum is narrowed for the branch that ends in a
  /// product.
  [[nodiscard]] Duration casts(const Operator& op, Pass pass) const {
    if (autocast() && (over_layer(op) || (op.kind == "add" && pass == Pass::data_gradient)))
      return Bytes{6 * op.shape.elements_out * options_.batch} / (gpu_.gpu().memory * stream_fraction);
    if (op.kind != "frozen_norm" && op.kind != "roi_align") return Duration{0};
    const double elements = (op.shape.elements_in + op.shape.elements_out) * options_.batch;
    return Bytes{elements * (activation_bytes(options_.precision).base() + 4)} /
           (gpu_.gpu().memory * stream_fraction);
  }

  /// Autocast in training: weights are narrowed for every forward pass, and their gradients widened.
  [[nodiscard]] Duration weight_casts(const Operator& op, Pass pass) const {
    const bool casts = autocast() && options_.training && of_library(op) && pass != Pass::data_gradient;
    return Bytes{casts ? 6 * op.trained_parameters() : 0} / (gpu_.gpu().memory * stream_fraction);
  }

  [[nodiscard]] bool converts(Precision precision) const {
    const bool tensor_cores = on_tensor_cores(gpu_, precision);
    switch (framework_.layout) {
      case LayoutConversion::none:
        return false;
      case LayoutConversion::half:
      case LayoutConversion::filters:
        return tensor_cores;
      case LayoutConversion::wide:
        return tensor_cores && precision == Precision::tf32;
      case LayoutConversion::all:
        break;
    }
    return true;
  }

  /// A convolution of single pixels is a product of its weights and each image as it lies, channels first.
  static bool multiplies_maps(const Operator& op) {
    const OperatorShape& s = op.shape;
    return s.r == 1 && s.s == 1 && s.stride_h == 1 && s.stride_w == 1 && s.groups <= 1;
  }

  /// Channels-first tensors are transposed into and out of a tensor-core convolution: each is read and
  /// written once more. In a forward pass alone convolutions of single pixels may be spared; in training with
  /// 16 bits they are not, as both layouts of timm's trainings on an RTX 3090 say. In TF32 they are: of the
  /// 159 convolutions of ResNet-50's passes on an H200, 76 ran as products.
  [[nodiscard]] Duration conversion(const Operator& op, Precision precision) const {
    if (op.family != OperatorFamily::conv || !converts(precision)) return Duration{0};
    const bool spares = !options_.training || precision == Precision::tf32;
    if (framework_.layout == LayoutConversion::filters && spares && multiplies_maps(op)) return Duration{0};
    const double elements = (op.shape.elements_in + op.shape.elements_out) * options_.batch;
    return Bytes{2 * elements * activation_bytes(options_.precision).base()} /
           (gpu_.gpu().memory * stream_fraction);
  }

  /// The unrolled matrix (channels x kernel x output pixels) is written and read once.
  [[nodiscard]] Duration unrolling(const Operator& op) const {
    if (op.family != OperatorFamily::conv || framework_.conv != ConvKernels::im2col) return Duration{0};
    const OperatorShape& s = op.shape;
    const auto column = static_cast<double>(s.c * s.r * s.s * s.oh * s.ow) /
                        static_cast<double>(std::max<std::int64_t>(s.groups, 1));
    return Bytes{2 * column * options_.batch * 4} / (gpu_.gpu().memory * stream_fraction);
  }

  /// Maps around products that a compiler or a kernel of its own would fuse. Forward, a bias is added to the
  /// result, which is read and written; queries, keys, values and what attention returns are copied into and
  /// out of the order of the heads; the scores are scaled in a kernel of their own. Going back, the bias's
  /// gradient reads the result's, and the copies are made again.
  [[nodiscard]] Duration unfused(const Operator& op, Pass pass) const {
    if (framework_.fuses_elementwise) return Duration{0};
    const OperatorShape& s = op.shape;
    double elements = 0;
    if (op.family == OperatorFamily::gemm && op.biased) {
      const bool adds = pass == Pass::forward && !framework_.fuses_bias;
      // A product of eager programs adds the bias, and leaves its gradient to a kernel.
      const bool sums =
          pass == Pass::weight_gradient && (!framework_.fuses_bias || framework_.dispatch == Dispatch::eager);
      elements = static_cast<double>(s.rows * s.n * s.count) * (adds ? 2 : sums ? 1 : 0);
    }
    if (op.family == OperatorFamily::attention && op.kind == "attention" &&
        framework_.attention == AttentionKernel::unfused && pass != Pass::weight_gradient) {
      const auto values = static_cast<double>(s.v_head_dim > 0 ? s.v_head_dim : s.head_dim);
      const double heads = static_cast<double>(s.seq + s.kv_seq) * (static_cast<double>(s.head_dim) + values);
      const double scores = pass == Pass::forward ? static_cast<double>(s.seq * s.kv_seq) : 0;
      // Autocast adds a mask or bias in 32 bits (2 bytes read, 4 written), computes the softmax in 32 bits
      // (8) and narrows its result (6), where 12 bytes are counted.
      elements = (2 * heads + (autocast() ? 6 : 2) * scores) * static_cast<double>(s.heads);
    }
    const double width = activation_bytes(options_.precision).base();
    return Bytes{options_.batch * (elements * width + composed_scores(op, pass))} /
           (gpu_.gpu().memory * stream_fraction);
  }

  /// Bytes that composed scores move for a sample beyond those that are counted: of the softmax 2 accesses
  /// and going back 3, of scale, mask and dropout 4 (models/gpu/lowering.cpp), and the scale's own kernel.
  [[nodiscard]] double composed_scores(const Operator& op, Pass pass) const {
    ComposedOperator scores = framework_.composed.scores;
    if (!scores.stated() || op.family != OperatorFamily::attention || op.kind != "attention" ||
        framework_.attention != AttentionKernel::unfused || pass == Pass::weight_gradient)
      return 0;
    if (options_.training) {
      scores.forward += framework_.composed.dropout.forward;
      scores.backward += framework_.composed.dropout.backward;
    }
    const bool forward = pass == Pass::forward;
    const double width = activation_bytes(options_.precision).base();
    const double counted = (forward ? 2 + 4 + 2 : 3 + 4) * width;
    return static_cast<double>(op.shape.heads * op.shape.seq * op.shape.kv_seq) *
           (framework_.composed.bytes(scores, forward, width) - counted);
  }

  const GpuCostModel& gpu_;
  const FrameworkProfile& framework_;
  const StepOptions& options_;
  KnownKernels known_;
  Duration shared_{0}, kernels_{0};
};

}  // namespace

StepTime step_time(const Workload& workload, const GpuCostModel& gpu, const FrameworkProfile& framework,
                   const StepOptions& options) {
  if (!(options.batch > 0)) throw Error{"a step needs a positive batch"};
  StepTime out;
  Stream stream{framework, options.training, out};
  if (options.training && framework.input_copy > Bandwidth{0} && workload.pixels > 0)
    stream.wait(4 * options.batch * workload.input_bytes / framework.input_copy);  // pixels arrive as floats
  StepBuilder builder{gpu, framework, options};
  const std::vector<Operator>& operators = workload.operators;
  const std::vector<StepBuilder::Setting> settings = builder.settings(operators);
  for (std::size_t i = 0; i < operators.size(); ++i)
    builder.run(operators[i], Pass::forward, settings[i], stream);
  if (options.training) stream.read_back(framework.between_passes, options.batch, builder.shortest_kernel());
  out.forward = stream.lap();
  if (options.training) {
    for (std::size_t i = operators.size(); i-- > 0;) {
      if (runs_again(operators[i], options.recompute))
        builder.run(operators[i], Pass::forward, settings[i], stream);
      builder.run(operators[i], Pass::data_gradient, settings[i], stream);
      builder.run(operators[i], Pass::weight_gradient, settings[i], stream);
      builder.add_gradient(operators[i], stream);
    }
    out.backward = stream.lap();
    if (options.optimizer) builder.update(workload, stream);
    out.optimizer = stream.lap();
  }
  out.total = stream.now();
  const double simplified =
      options.training
          ? (scales_losses(gpu.gpu(), options.precision) ? mechanism_log_sigma(Mechanism::loss_scaling) : 0)
          : mechanism_log_sigma(Mechanism::forward_pass);
  out.log_sigma = std::hypot(std::hypot(gpu.network_log_sigma(), builder.shared_sigma(), framework.log_sigma),
                             simplified, stream.spread());
  return out;
}

}  // namespace rackcast
