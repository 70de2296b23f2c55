/// Memory of networks split over GPUs (models/memory/split_memory.hpp), and batches that fit one GPU
/// (models/memory/memory.hpp).
#include "models/memory/memory.hpp"
#include "models/memory/split_memory.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/predict/split_case.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Allocators round up and leave gaps: a few per cent (models/memory/memory.hpp).
constexpr double allocator_log_sigma = 0.03;

SplitMemorySpec spec_of(const ValidationCase& c) {
  if (!c.workload.micro_batch) throw Unpredictable{"micro-batch not stated"};
  SplitMemorySpec spec;
  spec.tensor = ways_of_case(c, "tp");
  spec.pipeline = ways_of_case(c, "pp");
  spec.interleave = ways_of_case(c, "vpp");
  spec.sequence_parallel = flag_in(c.workload.parallelism, "sequence_parallel").value_or(false);
  spec.recompute = recomputation_of_case(c);
  spec.micro_batch = *c.workload.micro_batch;
  return spec;
}

TransformerShape shape_of(const ValidationCase& c) {
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"memory of a network other than a plain transformer, split: no model yet"};
  TransformerShape out = *shape;
  out.dropout = true;  // its masks are in the papers' counts
  return out;
}

}  // namespace

PredictedFigure predict_largest_batch(PredictionContext& context, const ValidationCase& c) {
  return figure_of(largest_batch_of_case(context, c), allocator_log_sigma);
}

PredictedFigure predict_split_memory(PredictionContext&, const ValidationCase& c) {
  const auto of = text_in(c.workload.extra, "memory_of");
  const SplitMemorySpec spec = spec_of(c);
  constexpr double gib = 1024.0 * 1024 * 1024;
  // The papers count gradients of 32 bits, 18 bytes to a parameter.
  const Bytes state = state_bytes(Precision::mixed, Optimizer::adam, true).total();
  if (of == "parameters, gradients and optimizer")
    return figure_of(most_parameters(shape_of(c), spec).all * state.base() / gib, allocator_log_sigma);
  if (of == "activations of the first pipeline stage")
    return figure_of(first_stage_activations(shape_of(c), spec).base() / gib, allocator_log_sigma);
  throw Unpredictable{"what the memory is of is not stated"};
}

PredictedFigure predict_activation_fraction(PredictionContext&, const ValidationCase& c) {
  const SplitMemorySpec spec = spec_of(c);
  SplitMemorySpec plain = spec;
  plain.sequence_parallel = false;
  plain.recompute = Recomputation::none;
  const TransformerShape shape = shape_of(c);
  return figure_of(layer_activations(shape, spec) / layer_activations(shape, plain), allocator_log_sigma);
}

}  // namespace rackcast
