/// Memory of networks split over GPUs (models/memory/split_memory.hpp), and batches that fit one GPU
/// (models/memory/memory.hpp).
#include <cmath>
#include <memory>

#include "models/memory/memory.hpp"
#include "models/memory/split_memory.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// Allocators round up and leave gaps: a few per cent (models/memory/memory.hpp).
constexpr double allocator_log_sigma = 0.03;

Mesh mesh_of(const ValidationCase& c) {
  if (!c.workload.micro_batch) throw Unpredictable{"micro-batch not stated", "micro_batch"};
  Mesh mesh;
  mesh.tensor = ways_of_case(c, "tp");
  mesh.pipeline = ways_of_case(c, "pp");
  mesh.interleave = ways_of_case(c, "vpp");
  mesh.sequence_parallel = flag_in(c.workload.parallelism, "sequence_parallel").value_or(false);
  mesh.recompute = recomputation_of_case(c);
  mesh.micro_batch = *c.workload.micro_batch;
  mesh.micro_batches = 0;  // the papers count a full pipeline
  return mesh;
}

TransformerShape memory_shape_of(const ValidationCase& c) {
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"memory of a network other than a plain transformer, split: no model yet"};
  TransformerShape out = *shape;
  out.dropout = true;  // its masks are in the papers' counts
  return out;
}

}  // namespace

namespace {

/// The attention of the arguments where they name one, else the framework's. Megatron-Core's own layers
/// ("local") put attention together from products and a softmax.
bool fuses_attention(const ValidationCase& c, const FrameworkProfile& profile) {
  if (const auto backend = text_in(c.workload.extra, "attention_backend"))
    return *backend != "unfused" && *backend != "local";
  if (text_in(c.workload.extra, "transformer_impl") == "local") return false;
  return profile.attention != AttentionKernel::unfused;
}

/// The network with the dropout and the output weights of the run: stated, or those of the trainer's
/// arguments. Gated MLPs came with networks that train without dropout and share no weights.
Workload network_of_run(const ValidationCase& c, const FrameworkProfile& profile, const Workload& network) {
  TransformerShape shape = *network.transformer;
  const bool by_arguments = number_in(c.workload.transformer, "layers") && !shape.gated_mlp;
  const bool drops = by_arguments && profile.memory.drops;
  const bool shares = by_arguments && profile.memory.shares_embedding &&
                      !flag_in(c.workload.extra, "untie_embeddings_and_output_weights").value_or(false);
  shape.dropout = flag_in(c.workload.extra, "dropout").value_or(shape.dropout || drops);
  shape.tied_output = flag_in(c.workload.extra, "tied_embeddings").value_or(shape.tied_output || shares);
  Workload out;
  out.title = network.title;
  out.transformer = std::make_shared<const TransformerShape>(shape);
  return out;
}

MemoryOptions options_of(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated", "gpus"};
  if (!c.workload.global_batch) throw Unpredictable{"batch not stated", "global_batch"};
  const FrameworkProfile profile = context.profile(c);
  MemoryOptions out;
  Mesh mesh = mesh_of(c);
  mesh.context = ways_of_case(c, "cp");
  mesh.expert = ways_of_case(c, "ep");
  out.precision = precision_of(c);
  out.optimizer = trains_with_adam(c, context.workload(c)) ? Optimizer::adam : Optimizer::momentum;
  out.fused_attention = fuses_attention(c, profile);
  out.wide_gradients = profile.gradient_sums != GradientSums::in_place && out.precision != Precision::mixed &&
                       out.precision != Precision::fp16;
  out.trainer = profile.memory;
  if (text_in(c.workload.extra, "transformer_impl") == "local") out.trainer.workspace = Bytes{0};
  const bool fused_loss = flag_in(c.workload.extra, "cross_entropy_loss_fusion").value_or(false);
  if (fused_loss && out.trainer.fused_logit_bytes > 0)
    out.trainer.logit_bytes = out.trainer.fused_logit_bytes;
  mesh.zero_stage = zero_stage_of_case(c);
  const double replicas = *c.system.gpus / mesh.gpus();
  if (replicas < 1 || std::floor(replicas) != replicas)
    throw Unpredictable{"the GPUs are no multiple of the split"};
  mesh.data = static_cast<int>(replicas);
  mesh.micro_batches = *c.workload.global_batch / (mesh.data * mesh.micro_batch);
  out.mesh = mesh;
  return out;
}

MemoryUse use_of_case(PredictionContext& context, const ValidationCase& c, StageAsked stage) {
  const Workload& network = context.workload(c);
  if (!network.transformer)
    throw Unpredictable{"memory of a network other than a plain transformer, split: no model yet"};
  MemoryOptions options = options_of(context, c);
  options.stage = stage;
  return training_memory(network_of_run(c, context.profile(c), network), options);
}

/// One GPU that trains the whole network with one batch a step.
bool has_whole_network(const ValidationCase& c) {
  return c.one_gpu() && !is_split(c) && c.workload.batch_per_gpu && !c.workload.micro_batch;
}

MemoryUse whole_network_memory(PredictionContext& context, const ValidationCase& c) {
  MemoryOptions options = memory_of_case(context, c);
  options.batch = *c.workload.batch_per_gpu;
  options.fused_attention = fuses_attention(c, context.profile(c));
  return training_memory(context.workload(c), options);
}

}  // namespace

PredictedFigure predict_gpu_memory(PredictionContext& context, const ValidationCase& c) {
  const auto of = text_in(c.workload.extra, "memory_of");
  constexpr double gb = 1e9;
  const MemorySpread spread = memory_spread();
  // Rank 0 prints the first and the last rank the third figure (tests/validation/cases/README.md). The
  // driver's context is outside PyTorch's counts.
  if (of == "allocated after backward") {
    const MemoryUse use = use_of_case(context, c, StageAsked::first);
    return figure_of((use.states() + use.buffers + use.update).base() / gb, spread.states);
  }
  if (of == "reserved")
    return figure_of(use_of_case(context, c, StageAsked::first).reserved().base() / gb, spread.reserved);
  if (of == "allocated peak" && has_whole_network(c))
    return figure_of(whole_network_memory(context, c).allocated().base() / gb, spread.whole);
  if (of == "allocated peak")
    return figure_of(use_of_case(context, c, StageAsked::last).allocated().base() / gb, spread.allocated);
  throw Unpredictable{"what the memory is of is not stated"};
}

PredictedFigure predict_out_of_memory(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const Bytes has = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  const PredictedFigure use =
      figure_of(use_of_case(context, c, StageAsked::most).total().base(), memory_spread().reserved);
  const auto dies = [&](double bytes) {
    return bytes > has.base() ? 1.0 : 0.0;
  };
  return {dies(use.value), dies(use.low), dies(use.high)};
}

PredictedFigure predict_largest_batch(PredictionContext& context, const ValidationCase& c) {
  PredictedFigure out = figure_of(largest_batch_of_case(context, c), allocator_log_sigma);
  out.low /= tried_batches();
  return out;
}

PredictedFigure predict_split_memory(PredictionContext&, const ValidationCase& c) {
  const auto of = text_in(c.workload.extra, "memory_of");
  const Mesh mesh = mesh_of(c);
  constexpr double gib = 1024.0 * 1024 * 1024;
  // The papers count gradients of 32 bits, 18 bytes to a parameter.
  const Bytes state = state_bytes(Precision::mixed, Optimizer::adam, true).total();
  if (of == "parameters, gradients and optimizer")
    return figure_of(most_parameters(memory_shape_of(c), mesh).all * state.base() / gib, allocator_log_sigma);
  if (of == "activations of the first pipeline stage")
    return figure_of(first_stage_activations(memory_shape_of(c), mesh).base() / gib, allocator_log_sigma);
  throw Unpredictable{"what the memory is of is not stated"};
}

PredictedFigure predict_activation_fraction(PredictionContext&, const ValidationCase& c) {
  const Mesh mesh = mesh_of(c);
  Mesh plain = mesh;
  plain.sequence_parallel = false;
  plain.recompute = Recomputation::none;
  const TransformerShape shape = memory_shape_of(c);
  return figure_of(layer_activations(shape, mesh) / layer_activations(shape, plain), allocator_log_sigma);
}

}  // namespace rackcast
