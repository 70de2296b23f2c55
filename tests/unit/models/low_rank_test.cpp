// Fine-tuning with low-rank adapters.
#include "models/networks/low_rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/transformer.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

/// Two layers of Llama 2 70B's width without its grouped keys and values.
Workload network() {
  TransformerShape s;
  s.layers = 2;
  s.hidden = 8192;
  s.heads = 64;
  s.ffn = 28672;
  s.gated_mlp = true;
  s.vocab = 32000;
  s.seq_len = 2048;
  return transformer_workload(s);
}

}  // namespace

TEST_CASE("adapters alone are trained: r rows and columns beside each product of attention") {
  const Workload whole = network();
  CHECK(whole.trained_parameters() == whole.parameters());
  const Workload tuned = with_adapters(whole, {16, false});
  // Queries, keys and values in one product of 3 x 8192 columns or in three, and the output: 16 x (in + out)
  // each.
  double expected = 0;
  for (const Operator& op : whole.operators)
    if (op.family == OperatorFamily::gemm && op.name.find(".attention.") != std::string::npos)
      expected += 16.0 * static_cast<double>(op.shape.n + op.shape.k);
  CHECK(expected >= 2 * 16.0 * (2 * 8192 + 4 * 8192));
  CHECK(tuned.trained_parameters() == expected);
  CHECK(tuned.parameters() == whole.parameters() + expected);
  CHECK(with_adapters(whole, {16, true}).trained_parameters() > 2 * expected);
  CHECK(with_adapters(whole, {}).operators.size() == whole.operators.size());
  CHECK_THROWS_AS((void)with_adapters(whole, {-1, false}), Error);
  CHECK_THROWS_AS((void)with_adapters(Workload{}, {16, false}), Error);
}

TEST_CASE("frozen weights have no gradients and no update") {
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "h100_sxm5")));
  const FrameworkProfile framework = framework_profile({.name = "nemo"});
  StepOptions options;
  options.batch = 1;
  options.precision = Precision::bf16;
  options.adam = true;
  const StepTime whole = step_time(network(), gpu, framework, options);
  const StepTime tuned = step_time(with_adapters(network(), {16, false}), gpu, framework, options);
  // Going back takes about twice the forward time with gradients of weights, and about once without.
  CHECK(whole.backward / whole.forward > 1.7);
  CHECK(tuned.backward / tuned.forward < 1.4);
  CHECK(tuned.forward > whole.forward);
  CHECK(tuned.forward < 1.15 * whole.forward);
  CHECK(tuned.optimizer < 0.05 * whole.optimizer);
}
