// What a graph of simple operators keeps beside the operators' lists (GraphMemory).
#include <doctest/doctest.h>

#include "models/memory/memory.hpp"
#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"

using namespace rackcast;

namespace {

/// Two layers of width 64 with an MLP of 256 and four heads, sequences of 16.
Workload small_network() {
  TransformerShape shape{.layers = 2, .hidden = 64, .heads = 4, .vocab = 100, .seq_len = 16};
  shape.ffn = 256;
  shape.causal = false;
  shape.dropout = shape.layer_norm = shape.biases = true;
  return transformer_workload(shape);
}

}  // namespace

TEST_CASE("composed GELUs and norms keep maps, and masks have the width of their maps") {
  const Workload network = small_network();
  MemoryOptions options{.batch = 3};
  const Bytes listed = training_memory(network, options).activations;
  const auto more = [&](GraphMemory graph) {
    options.trainer.graph = graph;
    return (training_memory(network, options).activations - listed).base() / (3 * 4);
  };
  CHECK(more({.gelu_maps = 2}) == 2 * 2 * 16 * 256);       // two in each of two layers
  CHECK(more({.norm_maps = 1}) == (2 * 2 + 1) * 16 * 64);  // two in a layer, one behind them
  // Two in a layer and one behind the embedding, and that of the scores: half an element more each.
  CHECK(more({.wide_masks = true}) == 0.5 * ((2 * 2 + 1) * 16 * 64 + 2 * 4 * 16 * 16));
  options.fused_attention = true;
  const double fused = more({.wide_masks = true}) - more({});
  CHECK(fused == 0.5 * (2 * 2 + 1) * 16 * 64);
}

TEST_CASE("without activations an update of composed operators has all of its values: 32 bytes") {
  const Workload network = small_network();
  MemoryOptions options{.batch = 0, .optimizer = Optimizer::adam};
  options.trainer.graph = {.passing_gradients = true, .adam_ahead = 3, .adam_update = 1};
  // Weights, two moments, three values that were ready, the gradient, and one more.
  CHECK(training_memory(network, options).allocated().base() == doctest::Approx(32 * network.parameters()));
  options.optimizer = Optimizer::momentum;  // one kernel for each tensor
  CHECK(training_memory(network, options).allocated().base() == doctest::Approx(12 * network.parameters()));
}

TEST_CASE("gradients that pass are there from their operator on: those of the top beside all activations") {
  // Two products, of 10 x 1000 and 1000 x 10 weights, one row each: 10 + 1000 values are read backwards.
  Workload network;
  const auto product = [](std::int64_t in, std::int64_t out) {
    Operator op;
    op.kind = "linear";
    op.family = OperatorFamily::gemm;
    op.shape.elements_in = static_cast<double>(in);
    op.shape.elements_out = static_cast<double>(out);
    op.parameters = static_cast<double>(in * out);
    op.activation_elements = static_cast<double>(out);
    return op;
  };
  network.operators = {product(10, 1000), product(1000, 10)};
  MemoryOptions options{.batch = 50};
  options.trainer.graph.passing_gradients = true;
  const MemoryUse use = training_memory(network, options);
  // At the second product: its weights' gradient, all maps, and the gradients of what it wrote and read.
  const double second = 4 * 10000 + 4 * 50 * (1000 + 10 + 10 + 1000);
  // At the first: both gradients, its own map, and the gradients of 1000 and 10 values.
  const double first = 4 * 20000 + 4 * 50 * (1000 + 1000 + 10);
  CHECK(first > second);
  CHECK((use.gradients + use.activations).base() == doctest::Approx(first));
  CHECK(use.update == Bytes{0});
  options.batch = 5000;  // ten more values for each sample count more than 10000 weights
  const MemoryUse large = training_memory(network, options);
  CHECK(large.gradients.base() == doctest::Approx(4 * 10000));
  CHECK(large.update.base() == doctest::Approx(4 * 10000));
  CHECK((large.gradients + large.activations).base() ==
        doctest::Approx(4 * 10000 + 4 * 5000 * (1000 + 10 + 10 + 1000.0)));
}
