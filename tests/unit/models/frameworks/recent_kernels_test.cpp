// Kernels of recent GPUs and of PyTorch 2 beside products: convolutions, maps read number by number, rows
// that are not whole, attention in 32 bits, casts.
#include <doctest/doctest.h>

#include <cmath>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

GpuRates board(const char* name) {
  return gpu_rates(gpu_spec(Catalog::builtin(), name));
}

Operator conv(std::int64_t side) {
  Operator op;
  op.kind = "conv";
  op.family = OperatorFamily::conv;
  OperatorShape& s = op.shape;
  s.n = s.c = 256, s.r = s.s = 3, s.h = s.w = s.oh = s.ow = side;
  s.elements_in = s.elements_out = static_cast<double>(256 * side * side);
  return op;
}

Operator map(OperatorFamily family, const char* kind, double in, double out) {
  Operator op;
  op.kind = kind;
  op.family = family;
  op.shape.elements_in = in;
  op.shape.elements_out = out;
  return op;
}

Operator vocabulary(std::int64_t words) {
  Operator op;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = 1024;
  op.shape.n = words;
  op.shape.k = 768;
  return op;
}

}  // namespace

TEST_CASE("convolutions on matrix units come from a GPU of the same instructions") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const auto lender = [&](const char* gpu) {
    return library
        .choose(board(gpu), KernelClass::conv_forward, Arithmetic::tensor, LibraryGeneration::cudnn8)
        .model;
  };
  CHECK(lender("h100_sxm5") == "h200");
  CHECK(lender("b200_sxm") == "v100");
  CHECK(lender("a100_sxm4_80gb") == "v100");
  CHECK(lender("rtx_3090") == "v100");
}

TEST_CASE("convolutions of an H200 take what the project measured") {
  // 64 images of 256 x 100 x 100, 3x3 to 256 channels in 16 bits: 982 us forward (calibrate/data/own_h200).
  const GpuCostModel h200 = GpuCostModel::create(board("h200_sxm"));
  const Duration time = h200.cost(conv(100), Pass::forward, 64, Precision::fp16).time;
  CHECK(time.base() == doctest::Approx(982e-6).epsilon(0.15));
  // A board of the same chip that may draw half of the power takes longer.
  const GpuCostModel pcie = GpuCostModel::create(board("h100_pcie")),
                     sxm = GpuCostModel::create(board("h100_sxm5"));
  const auto per_sm = [](const GpuCostModel& gpu) {
    return gpu.cost(conv(100), Pass::forward, 64, Precision::fp16).time.base() * gpu.gpu().sm_count;
  };
  CHECK(per_sm(pcie) > 1.15 * per_sm(sxm));
}

TEST_CASE("weight gradients in TF32 keep the instructions of Ampere") {
  const GpuCostModel h200 = GpuCostModel::create(board("h200_sxm"));
  const auto time = [&](Pass pass) {
    return h200.cost(conv(100), pass, 64, Precision::tf32).time.base();
  };
  // Measured: 1785, 1965 and 4095 us.
  CHECK(time(Pass::weight_gradient) > 1.7 * time(Pass::forward));
  CHECK(time(Pass::forward) == doctest::Approx(1785e-6).epsilon(0.2));
  CHECK(time(Pass::weight_gradient) == doctest::Approx(4095e-6).epsilon(0.25));
}

TEST_CASE("statistics of planar maps take as long in 16 bits as in 32") {
  const Operator norm = map(OperatorFamily::norm, "batch_norm", 256 * 56 * 56, 256 * 56 * 56);
  const auto time = [&](PlanarMaps planar, Precision precision) {
    const GpuCostModel gpu = GpuCostModel::create(board("h200_sxm"), LoweringOptions{.planar_maps = planar});
    return gpu.cost(norm, Pass::forward, 128, precision).time.base();
  };
  // 3 accesses of 103 million values, 4e9 a second on each of 132 SMs: 584 us.
  CHECK(time(PlanarMaps::always, Precision::fp16) == doctest::Approx(584e-6).epsilon(0.03));
  CHECK(time(PlanarMaps::always, Precision::fp32) == time(PlanarMaps::always, Precision::fp16));
  CHECK(time(PlanarMaps::never, Precision::fp16) < 0.4 * time(PlanarMaps::always, Precision::fp16));
  CHECK(time(PlanarMaps::wide, Precision::fp16) == time(PlanarMaps::never, Precision::fp16));
  CHECK(time(PlanarMaps::wide, Precision::fp32) == time(PlanarMaps::always, Precision::fp32));
}

TEST_CASE("a thread of PyTorch's pooling reads the numbers of a window one by one") {
  Operator pool = map(OperatorFamily::pool, "max_pool", 64 * 112 * 112, 64 * 56 * 56);
  pool.shape.r = pool.shape.s = 3;
  const auto time = [&](bool single, Pass pass) {
    const GpuCostModel gpu =
        GpuCostModel::create(board("h200_sxm"), LoweringOptions{.single_windows = single});
    return gpu.cost(pool, pass, 256, Precision::fp16).time.base();
  };
  // 9 numbers for each of 51 million results: 875 us; an H200 takes 880.
  CHECK(time(true, Pass::forward) == doctest::Approx(880e-6).epsilon(0.03));
  CHECK(time(true, Pass::data_gradient) == doctest::Approx(2 * 880e-6).epsilon(0.03));
  CHECK(time(false, Pass::forward) < 0.3 * time(true, Pass::forward));
  CHECK(framework_profile({.name = "pytorch", .version = "2.11"}).lowering().single_windows);
  CHECK_FALSE(framework_profile({.name = "tensorrt"}).lowering().single_windows);
}

TEST_CASE("rows that are no multiple of 16 bytes run with the instructions of Ampere") {
  const auto time = [&](const char* gpu, std::int64_t words, bool pads, Precision precision) {
    return GpuCostModel::create(board(gpu), LoweringOptions{.pads_rows = pads})
        .cost(vocabulary(words), Pass::forward, 8, precision)
        .time.base();
  };
  const double whole = time("h200_sxm", 50264, false, Precision::bf16);
  CHECK(time("h200_sxm", 50258, false, Precision::bf16) > 1.4 * whole);
  CHECK(time("h200_sxm", 50257, false, Precision::bf16) >
        2 * time("h200_sxm", 50258, false, Precision::bf16) * 0.95);
  CHECK(time("h200_sxm", 50258, true, Precision::bf16) < 1.01 * whole);
  CHECK(time("h200_sxm", 50260, false, Precision::tf32) ==
        doctest::Approx(time("h200_sxm", 50264, false, Precision::tf32)).epsilon(0.01));  // 4 bytes each
  CHECK(time("a100_sxm4_80gb", 50258, false, Precision::bf16) <
        1.01 * time("a100_sxm4_80gb", 50264, false, Precision::bf16));
  CHECK_FALSE(framework_profile({.name = "pytorch", .version = "2.11"}).pads_rows);
  CHECK(framework_profile({.name = "megatron"}).pads_rows);
}

TEST_CASE("attention in 32 bits is one kernel of TF32 products") {
  // ViT-B/16: 64 images, 12 heads of 64, 197 tokens. An H200 takes 396 us forward and 907 going back.
  Operator op;
  op.kind = "attention";
  op.family = OperatorFamily::attention;
  op.shape = {.heads = 12, .seq = 197, .kv_seq = 197, .head_dim = 64};
  const GpuCostModel fused =
      GpuCostModel::create(board("h200_sxm"), LoweringOptions{.attention = AttentionKernel::flash2});
  const double tf32 = fused.cost(op, Pass::forward, 64, Precision::tf32).time.base();
  CHECK(tf32 == fused.cost(op, Pass::forward, 64, Precision::fp32).time.base());
  CHECK(tf32 > 3 * fused.cost(op, Pass::forward, 64, Precision::bf16).time.base());
  const double back = fused.cost(op, Pass::data_gradient, 64, Precision::tf32).time.base();
  CHECK(tf32 + back == doctest::Approx((396 + 907) * 1e-6).epsilon(0.1));
  // Without TF32 there is no such kernel.
  const GpuRates v100 = board("v100_sxm2_16gb");
  const auto on_v100 = [&](AttentionKernel kernel) {
    return GpuCostModel::create(v100, LoweringOptions{.attention = kernel})
        .cost(op, Pass::forward, 64, Precision::fp32)
        .time;
  };
  CHECK(on_v100(AttentionKernel::flash2) == on_v100(AttentionKernel::unfused));
}

TEST_CASE("casts of autocast are counted in training where no fit has them") {
  // A normalisation, a product and a sum of a residual block, 1e8 values each. In 32 bits the norm and the
  // sum move twice as much; 6 bytes a value narrow the norm's map forward and widen its gradient, and narrow
  // the sum's gradient.
  Workload network;
  Operator norm = map(OperatorFamily::norm, "layer_norm", 1e6, 1e6),
           sum = map(OperatorFamily::elementwise, "add", 2e6, 1e6);
  Operator product = vocabulary(1024);
  product.shape.elements_in = product.shape.elements_out = 1e6;
  product.parameters = 768.0 * 1024;
  network.operators = {norm, product, sum};
  FrameworkProfile profile;
  profile.dispatch = Dispatch::eager;
  profile.host_per_step = Duration{0};
  const GpuCostModel gpu = GpuCostModel::create(board("h200_sxm"));
  const auto step = [&](bool counts, Precision precision) {
    profile.counts_casts = counts;
    return step_time(network, gpu, profile, {.batch = 100, .precision = precision, .optimizer = false});
  };
  const StepTime fitted = step(false, Precision::bf16), counted = step(true, Precision::bf16);
  const double rate = 0.8 * 4.8e12, cast = 6e8 / rate, weights = 6 * product.parameters / rate;
  // Forward: 2 + 3 accesses of 2 bytes more, at the rates of their kernels; at least the casts.
  CHECK((counted.forward - fitted.forward).base() > cast + weights + 5 * 2e8 / 4.8e12);
  CHECK((counted.backward - fitted.backward).base() > 2 * cast + weights);
  CHECK(step(true, Precision::fp32).total == step(false, Precision::fp32).total);
  profile.dispatch = Dispatch::graph;
  CHECK(step(true, Precision::bf16).total == step(false, Precision::bf16).total);
}

TEST_CASE("forward passes of PyTorch 2 have a pace of their own") {
  const FrameworkProfile forward =
      framework_profile({.name = "pytorch", .version = "2.11", .training = false});
  const FrameworkProfile training = framework_profile({.name = "pytorch", .version = "2.11"});
  CHECK(forward.id == "pytorch-2.2-inference");
  CHECK(training.id == "pytorch-2.2");
  CHECK(forward.host_per_kernel < 0.5 * training.host_per_kernel);
  CHECK(forward.attention == training.attention);
}

}  // namespace rackcast
