/// Forward passes alone: maps that stay in the cache, folded normalisations, autocast.
#include <doctest/doctest.h>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cache_rates.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

GpuRates rates(const char* gpu) {
  return gpu_rates(gpu_spec(Catalog::builtin(), gpu));
}

Operator pointwise_convolution() {
  Operator op;
  op.kind = "conv";
  op.family = OperatorFamily::conv;
  op.shape.c = op.shape.n = 256;
  op.shape.h = op.shape.w = op.shape.oh = op.shape.ow = 56;
  op.shape.r = op.shape.s = op.shape.stride_h = op.shape.stride_w = op.shape.groups = 1;
  return op;
}

Operator map(const char* kind, OperatorFamily family) {
  Operator op;
  op.kind = kind;
  op.family = family;
  op.shape.elements_in = op.shape.elements_out = 1e6;
  return op;
}

Operator product() {
  Operator op;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = 1000;
  op.shape.n = op.shape.k = 1000;
  op.shape.elements_in = op.shape.elements_out = 1e6;
  return op;
}

StepTime forward(const std::vector<Operator>& operators, const FrameworkProfile& profile, Precision precision,
                 bool training = false) {
  Workload workload;
  workload.operators = operators;
  StepOptions options;
  options.batch = 256;
  options.precision = precision;
  options.training = training;
  return step_time(workload, GpuCostModel::create(rates("a100_sxm4_40gb")), profile, options);
}

}  // namespace

TEST_CASE("the rate of a cache is that of the chip, for every board of it, and 0 where nobody measured it") {
  CHECK(cache_rate_per_sm("v100_sxm2_16gb").base() == doctest::Approx(30.5e9));
  CHECK(cache_rate_per_sm("h100_pcie").base() == doctest::Approx(61.4e9));
  CHECK(cache_rate_per_sm("h100_sxm5").base() == doctest::Approx(73.9e9));
  CHECK(cache_rate_per_sm("l4").base() < cache_rate_per_sm("l40s").base());
  CHECK(cache_rate_per_sm("p100_sxm2").base() == 0);
}

TEST_CASE("borrowed convolutions take over a share of the cache") {
  // V100's tensor convolutions read 1.9063 x 900 GB/s of 2,440: 0.703. An L40S has 142 x 40.2 GB/s, 6.607 of
  // its 864 GB/s, and 0.703 of that is 4.645.
  const auto library = GpuModelLibrary::builtin();
  const KernelChoice lent = library.choose(rates("l40s"), KernelClass::conv_forward, Arithmetic::tensor,
                                           LibraryGeneration::cudnn8, true);
  CHECK(lent.model == "v100");
  CHECK(lent.parameters[KernelParameter::cache_ratio] == doctest::Approx(4.645).epsilon(0.001));
}

TEST_CASE("maps of a convolution that fit the cache are not fetched from memory") {
  const Operator op = pointwise_convolution();
  const GpuRates with = rates("l40s");
  GpuRates without = with;
  without.l2 = Bytes{0};
  const auto memory = [&](const GpuRates& gpu, double batch) {
    return GpuCostModel::create(gpu).cost(op, Pass::forward, batch, Precision::int8).memory.base();
  };
  // 1.6 MB of maps a sample: 6.4 MB with 4, 6.6 GB with 4,096, in a cache of 96 MB.
  CHECK(memory(with, 4) < 0.3 * memory(without, 4));
  CHECK(memory(with, 4096) > 0.97 * memory(without, 4096));
  // Going back nothing is spared: gradients come from far away.
  const auto back = [&](const GpuRates& gpu) {
    return GpuCostModel::create(gpu).cost(op, Pass::data_gradient, 4, Precision::int8).memory.base();
  };
  CHECK(back(with) == back(without));
}

TEST_CASE("a compiler of forward passes folds batch normalisation into weights, and no other one") {
  FrameworkProfile profile;
  profile.frozen_norm = FrozenNorm::folded;
  const Operator batch_norm = map("batch_norm", OperatorFamily::norm),
                 layer_norm = map("layer_norm", OperatorFamily::norm);
  const auto total = [&](const std::vector<Operator>& operators, bool training) {
    return forward(operators, profile, Precision::fp16, training).forward;
  };
  CHECK(total({product(), batch_norm}, false) == total({product()}, false));
  CHECK(total({product(), layer_norm}, false) > total({product()}, false));
  CHECK(total({product(), batch_norm}, true) > total({product()}, true));
  CHECK(framework_profile({.name = "tensorrt", .version = "10.2", .training = false}).frozen_norm ==
        FrozenNorm::folded);
}

TEST_CASE("autocast widens normalisations over a layer and the sums of residual blocks") {
  FrameworkProfile eager;
  eager.dispatch = Dispatch::eager;
  eager.host_per_kernel = Duration{1e-9};
  const Operator norm = map("layer_norm", OperatorFamily::norm),
                 sum = map("add", OperatorFamily::elementwise);
  const std::vector<Operator> block{norm, product(), sum};
  const auto cast = forward(block, eager, Precision::mixed), pure = forward(block, eager, Precision::fp16);
  REQUIRE(cast.kernels.size() == pure.kernels.size());
  // 32 instead of 16 bits, and 6 bytes an element to narrow the result: 1.536 GB at 0.8 of 1,560 GB/s.
  const double narrowing = 6 * 1e6 * 256 / (0.8 * 1.56e12);
  CHECK(cast.kernels[0].time.base() ==
        doctest::Approx(2 * pure.kernels[0].time.base() + narrowing).epsilon(0.03));
  CHECK(cast.kernels[1].time == pure.kernels[1].time);
  CHECK(cast.kernels[2].time.base() == doctest::Approx(2 * pure.kernels[2].time.base()).epsilon(0.03));
  // Batch normalisation keeps 16 bits, and so does what is added to it; a graph has its casts fused.
  const std::vector<Operator> convolutional{product(), map("batch_norm", OperatorFamily::norm), sum};
  CHECK(forward(convolutional, eager, Precision::mixed).total ==
        forward(convolutional, eager, Precision::fp16).total);
  eager.dispatch = Dispatch::graph;
  CHECK(forward(block, eager, Precision::mixed).total == forward(block, eager, Precision::fp16).total);
}

TEST_CASE("dropout is a kernel in training and nothing in a forward pass alone") {
  FrameworkProfile eager = framework_profile({.name = "pytorch", .version = "2.4"});
  const Operator dropout = map("dropout", OperatorFamily::elementwise);
  CHECK(forward({product(), dropout}, eager, Precision::fp16).total ==
        forward({product()}, eager, Precision::fp16).total);
  CHECK(forward({product(), dropout}, eager, Precision::fp16, true).forward >
        forward({product()}, eager, Precision::fp16, true).forward);
}

TEST_CASE("of compiled maps between two products one is a kernel, and none beside a normalisation") {
  FrameworkProfile compiled = framework_profile({.name = "pytorch", .version = "2.4", .compiled = true});
  REQUIRE(compiled.library_products);
  Operator gelu = map("gelu", OperatorFamily::elementwise), add = map("add", OperatorFamily::elementwise);
  gelu.fusable = add.fusable = true;
  const Operator norm = map("layer_norm", OperatorFamily::norm);
  const auto kernels = [&](const std::vector<Operator>& operators) {
    return forward(operators, compiled, Precision::fp16).kernels.size();
  };
  CHECK(kernels({product(), gelu, product()}) == 3);
  CHECK(kernels({product(), gelu, add, product()}) == 3);
  CHECK(kernels({product(), add, norm, product()}) == 3);
  CHECK(kernels({product(), norm, add, product()}) == 3);
  CHECK(kernels({product(), add}) == 2);
  compiled.library_products = false;  // the product itself applies them
  CHECK(kernels({product(), gelu, product()}) == 2);
}

TEST_CASE("channels first, a forward pass alone transposes nothing around 1x1 filters") {
  FrameworkProfile filters = framework_profile({.name = "pytorch", .version = "2.4"});
  REQUIRE(filters.layout == LayoutConversion::filters);
  FrameworkProfile none = filters, half = filters;
  none.layout = LayoutConversion::none;
  half.layout = LayoutConversion::half;
  const auto time = [](const Operator& op, const FrameworkProfile& profile, bool training = false) {
    return forward({op}, profile, Precision::fp16, training).forward;
  };
  const Operator pixels = pointwise_convolution();
  Operator window = pixels;
  window.shape.r = window.shape.s = 3;
  window.shape.elements_in = window.shape.elements_out = 256 * 56 * 56;
  Operator maps = pixels;
  maps.shape.elements_in = maps.shape.elements_out = 256 * 56 * 56;
  CHECK(time(maps, filters) == time(maps, none));
  CHECK(time(maps, filters) < time(maps, half));
  CHECK(time(window, filters) == time(window, half));
  CHECK(time(maps, filters, true) == time(maps, half, true));
}

}  // namespace rackcast
