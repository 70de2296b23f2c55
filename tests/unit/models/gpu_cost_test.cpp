#include <doctest/doctest.h>

#include <cmath>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

GpuRates made_up_gpu() {
  GpuRates gpu;
  gpu.name = "made_up";
  gpu.architecture = "Pascal";
  gpu.sm_count = 10;
  gpu.fp32 = FlopRate{10e12};
  gpu.memory = Bandwidth{1e12};
  gpu.l2 = Bytes{1e6};
  return gpu;
}

Operator linear(std::int64_t rows, std::int64_t n, std::int64_t k) {
  Operator op;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = rows;
  op.shape.n = n;
  op.shape.k = k;
  op.parameters = static_cast<double>(n * k);
  return op;
}

}  // namespace

TEST_CASE("one tile on every SM runs at the SM's rate, and one tile more takes another wave") {
  // 10 products of 128 x 128 x 1000 on 10 SMs of 1 TFLOP/s each: 2 * 128 * 128 * 1000 FLOP / 1e12 FLOP/s
  // = 32.768 us, all penalties switched off and memory out of the way. A cost per tile edge makes other tiles
  // worse: a tile of 256 x 128 does twice the work at 4/3 of the efficiency, four of 64 x 64 run at half of
  // it.
  GpuRates gpu = made_up_gpu();
  gpu.memory = Bandwidth{1e18};
  KernelCall call;
  call.kind = KernelClass::gemm;
  call.peak = gpu.fp32;
  call.matrix = {128, 128, 1000, 10};
  KernelParameters p = expected_parameters();
  for (double& v : p.values) v = 1e-12;
  p[KernelParameter::peak_fraction] = p[KernelParameter::bandwidth_fraction] =
      p[KernelParameter::cache_ratio] = 1;
  p[KernelParameter::operand_cost] = p[KernelParameter::split] = 1e9;
  CHECK(kernel_time(call, gpu, p).total == doctest::Approx(32.768e-6).epsilon(1e-6));
  call.matrix.count = 11;
  const double both = kernel_time(call, gpu, p).total;
  CHECK(both > 1.3 * 32.768e-6);  // tiles of 64 x 64 fill the gap a little
  CHECK(both <= 2.001 * 32.768e-6);
}

TEST_CASE("a library with one tile for products of many matrices computes it whole and never splits") {
  GpuRates gpu = made_up_gpu();
  KernelCall call;
  call.kind = KernelClass::gemm;
  call.peak = gpu.fp32;
  call.matrix = {32, 32, 4096, 4};
  KernelParameters any = expected_parameters(), one = any;
  one.batched_rows = one.batched_columns = 128;
  // 16 times the work on thin sides, and four blocks where a split would make hundreds.
  CHECK(kernel_time(call, gpu, one).total > 4 * kernel_time(call, gpu, any).total);
  call.matrix.count = 1;
  CHECK(kernel_time(call, gpu, one).total == kernel_time(call, gpu, any).total);
}

TEST_CASE("an L40S is no board of the L4, and a P40 none of the P4") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  for (const auto& [gpu, other] : {std::pair{"l40s", "l4"}, std::pair{"p40", "p4"}}) {
    const GpuRates rates = gpu_rates(gpu_spec(Catalog::builtin(), gpu));
    const KernelChoice choice =
        library.choose(rates, KernelClass::gemm, Arithmetic::fp32, LibraryGeneration::cudnn8);
    CAPTURE(choice.model);
    CHECK(choice.model != other);
    CHECK(choice.borrowed_sigma >= 0.1);
  }
}

TEST_CASE("filters that a set was not fitted on take the parameters of one that was") {
  // On the A100 only 3x3 filters of stride 1 were measured; on the V100 all kinds, and on the H200, whose SM
  // has twice the lanes.
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const GpuRates a100 = gpu_rates(gpu_spec(Catalog::builtin(), "a100_sxm4_80gb"));
  const auto choose = [&](bool any_filter) {
    return library.choose(a100, KernelClass::conv_forward, Arithmetic::fp32, LibraryGeneration::cudnn8,
                          any_filter);
  };
  CHECK(choose(false).model == "a100");
  CHECK(choose(true).model == "v100");
  CHECK(choose(true).log_sigma > choose(false).log_sigma);
}

TEST_CASE("fp32 convolutions come from a GPU whose SM has as many lanes") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const auto lender = [&](const char* gpu) {
    return library
        .choose(gpu_rates(gpu_spec(Catalog::builtin(), gpu)), KernelClass::conv_weight_gradient,
                Arithmetic::fp32, LibraryGeneration::cudnn8, true)
        .model;
  };
  CHECK(lender("h200_sxm") == "h200");
  CHECK(lender("h100_sxm5") == "h200");
  CHECK(lender("rtx_3090") == "h200");  // 128 lanes
  CHECK(lender("a100_sxm4_80gb") == "v100");
  CHECK(lender("titan_v") == "v100");
}

TEST_CASE("an operator that streams is bound by memory") {
  Operator relu;
  relu.kind = "relu";
  relu.shape.elements_in = relu.shape.elements_out = 1e6;
  const GpuCostModel model = GpuCostModel::create(made_up_gpu());
  const KernelCost cost = model.cost(relu, Pass::forward, 64, Precision::fp32);
  // 64 * 2e6 elements * 4 B = 512 MB at 1 TB/s: at least 512 us
  CHECK(cost.limit == KernelCost::Limit::memory);
  CHECK(cost.time > Duration{512e-6});
  CHECK(cost.time < Duration{900e-6});
  CHECK(model.cost(relu, Pass::weight_gradient, 64, Precision::fp32).time == Duration{0});
}

TEST_CASE("a first layer computes no data gradient") {
  Operator op = linear(1, 1000, 1000);
  op.first_layer = true;
  const GpuCostModel model = GpuCostModel::create(made_up_gpu());
  CHECK(model.cost(op, Pass::data_gradient, 64, Precision::fp32).time == Duration{0});
  CHECK(model.cost(op, Pass::weight_gradient, 64, Precision::fp32).time > Duration{0});
}

TEST_CASE("tensor cores serve aligned products only before cuDNN 8") {
  const GpuRates v100 = gpu_rates(gpu_spec(Catalog::builtin(), "v100_sxm2_16gb"));
  const auto time = [&](LibraryGeneration library, std::int64_t n) {
    return GpuCostModel::create(v100, LoweringOptions{.library = library})
        .cost(linear(1, n, 4096), Pass::forward, 4096, Precision::mixed)
        .time;
  };
  CHECK(time(LibraryGeneration::cudnn7, 4097) > 3 * time(LibraryGeneration::cudnn7, 4096));
  CHECK(time(LibraryGeneration::cudnn8, 4098) < 1.5 * time(LibraryGeneration::cudnn8, 4096));
}

TEST_CASE("kernels that need more scratch than a framework lets them have do not run") {
  // AlexNet's third convolution: 384 filters of 3x3 over 256 maps of 13x13. Winograd's F(4x4) transforms 16
  // tiles of 36 points: (16 n (256 + 384) + 256 * 384) * 36 * 4 B, 1.5 MB for each image and 14 MB of
  // filters.
  Operator op;
  op.kind = "conv";
  op.family = OperatorFamily::conv;
  OperatorShape& s = op.shape;
  s.n = 384, s.c = 256, s.r = s.s = 3, s.h = s.w = s.oh = s.ow = 13;
  const GpuRates v100 = gpu_rates(gpu_spec(Catalog::builtin(), "v100_sxm2_16gb"));
  const auto per_image = [&](Bytes workspace, double batch) {
    return GpuCostModel::create(v100, LoweringOptions{.workspace = workspace})
               .cost(op, Pass::forward, batch, Precision::fp32)
               .time /
           batch;
  };
  constexpr Bytes gib{0x1p30}, mib{0x1p20};
  CHECK(per_image(unlimited_workspace, 1024) < per_image(unlimited_workspace, 512));
  CHECK(per_image(gib, 512) == per_image(unlimited_workspace, 512));
  CHECK(per_image(gib, 1024) > 1.2 * per_image(gib, 512));  // 1.5 GB
  CHECK(per_image(8 * mib, 32) > 1.2 * per_image(gib, 32));
  CHECK(per_image(Bytes{0}, 32) >= per_image(8 * mib, 32));
  // What needs none runs whatever the limit.
  s.r = s.s = 1;
  CHECK(per_image(Bytes{0}, 1024) == per_image(unlimited_workspace, 1024));
}

TEST_CASE("frameworks limit the scratch of a convolution as their sources say") {
  const auto workspace = [](const char* name) {
    return framework_profile({.name = name}).workspace;
  };
  CHECK(workspace("caffe") == Bytes{0x1p23});
  CHECK(workspace("chainer") == Bytes{0x1p23});
  CHECK(workspace("caffe2") == Bytes{0x1p26});
  CHECK(workspace("mxnet") == Bytes{0x1p30});
  CHECK(workspace("tensorflow") == unlimited_workspace);
}

TEST_CASE("fbfft transforms whole maps to powers of two and leaves strides to the library") {
  Operator op;
  op.kind = "conv";
  op.family = OperatorFamily::conv;
  OperatorShape& s = op.shape;
  s.n = 128, s.c = 48, s.r = s.s = 5;
  const GpuRates titan = gpu_rates(gpu_spec(Catalog::builtin(), "titan_x_maxwell"));
  const auto time = [&](std::int64_t side, ConvolutionAlgorithms algorithms) {
    s.h = s.w = s.oh = s.ow = side;
    return GpuCostModel::create(titan, LoweringOptions{.algorithms = algorithms})
        .cost(op, Pass::forward, 128, Precision::fp32)
        .time;
  };
  const auto fbfft = [&](std::int64_t side) {
    return time(side, ConvolutionAlgorithms::transforms);
  };
  CHECK(fbfft(28) / fbfft(27) < 1.01);  // 28 + 4 points fit 32
  // 64 x 33 points for 32 x 17: 3.9 times the spectra.
  CHECK(fbfft(29) / fbfft(28) == doctest::Approx(3.88).epsilon(0.05));
  CHECK(fbfft(125) == time(125, ConvolutionAlgorithms::all));  // 129 points: too large
  s.stride_h = s.stride_w = 2;
  CHECK(fbfft(27) == time(27, ConvolutionAlgorithms::all));
}

TEST_CASE("kernels of other makers need a profile of their own") {
  CHECK(framework_profile({.name = "torch7", .kernels = "fbfft"}).lowering().algorithms ==
        ConvolutionAlgorithms::transforms);
  CHECK(framework_profile({.name = "torch7", .cudnn = "4.0"}).lowering().algorithms ==
        ConvolutionAlgorithms::no_winograd);
  CHECK(framework_profile({.name = "neon", .kernels = "native"}).id ==
        framework_profile({.name = "neon"}).id);
  CHECK_THROWS_AS((void)framework_profile({.name = "caffe", .kernels = "fbfft"}), Error);
}

TEST_CASE("a GPU that nobody measured borrows and says so") {
  const Catalog catalog = Catalog::builtin();
  const Operator op = linear(1, 4096, 4096);
  const GpuCostModel k80 =
      GpuCostModel::create(gpu_rates(gpu_spec(catalog, "k80")), {.library = LibraryGeneration::cudnn5});
  const GpuCostModel m40 =
      GpuCostModel::create(gpu_rates(gpu_spec(catalog, "m40")), {.library = LibraryGeneration::cudnn5});
  CHECK(k80.borrowed_from(op, Precision::fp32) == "m40");
  CHECK(m40.borrowed_from(op, Precision::fp32).empty());
  const auto shared = [&](const GpuCostModel& gpu) {
    return gpu.cost(op, Pass::forward, 512, Precision::fp32).shared_sigma;
  };
  CHECK(shared(m40) == 0);
  CHECK(shared(k80) > 0.2);
  CHECK(k80.cost(op, Pass::forward, 512, Precision::fp32).log_sigma >
        m40.cost(op, Pass::forward, 512, Precision::fp32).log_sigma);
}

TEST_CASE("borrowed convolutions follow the products of the GPU") {
  using P = KernelParameter;
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const Catalog catalog = Catalog::builtin();
  const auto choose = [&](const char* gpu, KernelClass kind) {
    return library.choose(gpu_rates(gpu_spec(catalog, gpu)), kind, Arithmetic::tensor,
                          LibraryGeneration::cudnn8);
  };
  const KernelChoice l40s = choose("l40s", KernelClass::conv_forward);
  const KernelChoice v100 = choose("v100_sxm2_16gb", KernelClass::conv_forward);
  const KernelChoice l40s_products = choose("l40s", KernelClass::gemm);
  const KernelChoice v100_products = choose("v100_sxm2_16gb", KernelClass::gemm);
  CHECK(l40s.model == "v100");
  // The products of the L40S were measured with a later library than those of the V100: that comes along.
  const auto reached = [](const KernelChoice& products, P p) {
    return std::min(1.0, products.parameters[p]);
  };
  for (const P p : {P::peak_fraction, P::bandwidth_fraction})
    CHECK(l40s.parameters[p] ==
          doctest::Approx(v100.parameters[p] * reached(l40s_products, p) / reached(v100_products, p)));
  // Of the cache they take the share of its measured rate: faster against the memory here than there.
  CHECK(l40s.parameters[P::cache_ratio] > v100.parameters[P::cache_ratio]);
  for (const P p : {P::operand_cost, P::prologue_depth, P::launch})
    CHECK(l40s.parameters[p] == v100.parameters[p]);
  // Recurrent kernels are taken as they are, and so are convolutions of a GPU that was measured.
  CHECK(choose("h100_sxm5", KernelClass::recurrent_forward).parameters[P::peak_fraction] ==
        choose("v100_sxm2_16gb", KernelClass::recurrent_forward).parameters[P::peak_fraction]);
  CHECK(choose("t4", KernelClass::conv_forward).model == "t4");
}

TEST_CASE("maps that are fused going forward alone are kernels of their own going back") {
  Workload workload;
  workload.operators.push_back(linear(1, 1000, 1000));
  Operator relu;
  relu.kind = "relu";
  relu.shape.elements_in = relu.shape.elements_out = 1e6;
  relu.fusable = true;
  workload.operators.push_back(relu);
  const GpuCostModel model = GpuCostModel::create(made_up_gpu());
  const auto times = [&](bool fused, bool forward_only) {
    FrameworkProfile profile;
    profile.fuses_elementwise = fused;
    profile.fuses_forward_only = forward_only;
    return step_time(workload, model, profile, {.batch = 64});
  };
  const StepTime apart = times(false, false), whole = times(true, false), forward = times(true, true);
  CHECK(forward.forward == whole.forward);
  CHECK(forward.forward < apart.forward);
  CHECK(forward.backward.base() == doctest::Approx(apart.backward.base()));
  CHECK(whole.backward < apart.backward);
}

TEST_CASE("products with an odd number of columns run at half the rate of the tensor cores") {
  const GpuCostModel a100 = GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "a100_sxm4_80gb")));
  const auto seconds = [&](std::int64_t columns, std::int64_t depth, Pass pass, Precision precision) {
    return a100.cost(linear(1024, columns, depth), pass, 4, precision).time.base();
  };
  for (const Pass pass : {Pass::forward, Pass::data_gradient, Pass::weight_gradient}) {
    CAPTURE(static_cast<int>(pass));
    CHECK(seconds(50257, 1024, pass, Precision::fp16) >
          1.7 * seconds(50256, 1024, pass, Precision::fp16));  // 2.1 but for what is not arithmetic
    CHECK(seconds(50257, 1024, pass, Precision::fp32) ==
          doctest::Approx(seconds(50256, 1024, pass, Precision::fp32)).epsilon(0.02));
  }
}

TEST_CASE("a framework has a factor of its own for convolutions on 8-bit numbers, and for nothing else") {
  Operator conv;
  conv.kind = "conv";
  conv.family = OperatorFamily::conv;
  conv.shape.n = conv.shape.c = 256;
  conv.shape.h = conv.shape.w = conv.shape.oh = conv.shape.ow = 28;
  conv.shape.r = conv.shape.s = 3;
  conv.shape.elements_in = conv.shape.elements_out = 256.0 * 28 * 28;
  const GpuCostModel model = GpuCostModel::create(made_up_gpu());
  FrameworkProfile profile;
  const auto seconds = [&](const Operator& op, double factor, Precision precision) {
    Workload workload;
    workload.operators.push_back(op);
    profile.int8_factor = factor;
    return step_time(workload, model, profile, {.batch = 256, .precision = precision, .training = false})
        .total.base();
  };
  CHECK(seconds(conv, 0.5, Precision::int8) <
        0.55 * seconds(conv, 1, Precision::int8));  // but for the launch
  CHECK(seconds(conv, 0.5, Precision::fp32) == seconds(conv, 1, Precision::fp32));
  const Operator dense = linear(1, 4096, 4096);
  CHECK(seconds(dense, 0.5, Precision::int8) == seconds(dense, 1, Precision::int8));
}

TEST_CASE("the host issues gradients at a pace of their own, and what is computed again at the script's") {
  Workload workload;
  for (int i = 0; i < 10; ++i) workload.operators.push_back(linear(1, 8, 8));
  const GpuCostModel model = GpuCostModel::create(made_up_gpu());
  FrameworkProfile profile;
  profile.host_per_kernel = Duration{1e-3};  // far above what these kernels take
  profile.host_backward = 0.25;
  const StepTime step = step_time(workload, model, profile, {.batch = 1, .optimizer = false});
  CHECK(step.forward.base() == doctest::Approx(10e-3).epsilon(0.02));
  CHECK(step.backward.base() == doctest::Approx(20 * 0.25e-3).epsilon(0.02));  // of data and of weights
  const StepTime again =
      step_time(workload, model, profile, {.batch = 1, .optimizer = false, .recompute = Recomputation::full});
  CHECK(again.backward.base() == doctest::Approx(10e-3 + 20 * 0.25e-3).epsilon(0.02));
}

TEST_CASE("attention in one kernel") {
  Operator op;
  op.family = OperatorFamily::attention;
  op.shape.heads = 32;
  op.shape.seq = op.shape.kv_seq = 8192;
  op.shape.head_dim = 128;
  const Catalog catalog = Catalog::builtin();
  const auto seconds = [&](const char* gpu, AttentionKernel kernel, Precision precision, Pass pass) {
    return GpuCostModel::create(gpu_rates(gpu_spec(catalog, gpu)), {.attention = kernel})
        .cost(op, pass, 2, precision)
        .time.base();
  };
  const auto forward = [&](const char* gpu, AttentionKernel kernel, Precision precision = Precision::bf16) {
    return seconds(gpu, kernel, precision, Pass::forward);
  };
  using enum AttentionKernel;
  // 4 x 8192^2 x 128 x 64 heads operations; FlashAttention-2 reaches about 180 TFLOP/s on an A100.
  const double flop = 4.0 * 8192 * 8192 * 128 * 64;
  CHECK(flop / forward("a100_sxm4_80gb", flash2) == doctest::Approx(183e12).epsilon(0.05));
  CHECK(forward("a100_sxm4_80gb", flash1) > 2 * forward("a100_sxm4_80gb", flash2));
  CHECK(forward("a100_sxm4_80gb", native) == forward("a100_sxm4_80gb", flash2));
  // Ampere's instructions hold a Hopper GPU back to 0.47 of what its own reach.
  CHECK(forward("h100_sxm5", native) == doctest::Approx(0.47 * forward("h100_sxm5", flash2)).epsilon(0.01));
  // In fp32 it makes three products in TF32 for each; none has a pass for weights.
  CHECK(forward("a100_sxm4_80gb", flash2, Precision::fp32) > 3 * forward("a100_sxm4_80gb", flash2));
  CHECK(forward("a100_sxm4_80gb", flash2, Precision::fp32) <
        forward("a100_sxm4_80gb", unfused, Precision::fp32));
  CHECK(seconds("a100_sxm4_80gb", flash2, Precision::bf16, Pass::weight_gradient) == 0);
  const double whole = forward("a100_sxm4_80gb", flash2);
  op.shape.causal = true;
  const double masked = forward("a100_sxm4_80gb", flash2);
  CHECK(masked > 0.5 * whole);
  CHECK(masked < 0.65 * whole);
}

TEST_CASE("training in 8 bits writes its operands anew, and keeps some products in 16") {
  const GpuCostModel h100 = GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "h100_sxm5")));
  Operator op = linear(1, 8192, 8192);
  const auto time = [&](Pass pass, Precision precision) {
    return h100.cost(op, pass, 8192, precision).time.base();
  };
  // An input of 8192 x 8192 is read in 16 bits and written twice in 8: 268 MB more at 3.35 TB/s or less.
  const double casts = time(Pass::weight_gradient, Precision::fp8) - time(Pass::forward, Precision::fp8);
  CHECK(casts > 4.0 * 8192 * 8192 / 3.35e12);
  CHECK(casts < 2 * 4.0 * 8192 * 8192 / 3.35e12);
  const double narrow = time(Pass::forward, Precision::fp8);
  op.keeps_16_bits = true;
  CHECK(time(Pass::forward, Precision::fp8) == time(Pass::forward, Precision::bf16));
  CHECK(time(Pass::forward, Precision::fp8) > 1.5 * narrow);
}

TEST_CASE("products in 4 bits have their own rate and read less than those in 8") {
  const GpuCostModel b200 = GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "b200_sxm")));
  Operator op = linear(1, 8192, 8192);
  const auto time = [&](double rows, Precision precision) {
    return b200.cost(op, Pass::forward, rows, precision).time.base();
  };
  // 1.1e12 operations: not beyond the peak of 9,000 TFLOP/s, and beyond that of 8 bits, 4,500.
  CHECK(time(8192, Precision::fp4) > 2 * std::pow(8192.0, 3) / 9e15);
  CHECK(time(8192, Precision::fp4) < 0.75 * time(8192, Precision::fp8));
  // One row: the weights are read, 4.5 bits each with their scales.
  CHECK(time(1, Precision::fp4) > fp4_bytes * 8192 * 8192 / 8e12);
  CHECK(time(1, Precision::fp4) < time(1, Precision::fp8));
  op.keeps_16_bits = true;
  CHECK(time(8192, Precision::fp4) == time(8192, Precision::bf16));
}

TEST_CASE("every GPU of the catalogue has a cost model") {
  const Catalog catalog = Catalog::builtin();
  const GpuModelLibrary fitted = GpuModelLibrary::builtin();
  const Operator op = linear(1, 4096, 4096);
  for (const std::string& id : catalog.ids("gpus")) {
    CAPTURE(id);
    const GpuCostModel model = GpuCostModel::create(gpu_rates(gpu_spec(catalog, id)), {}, fitted);
    for (const Precision p : {Precision::fp32, Precision::tf32, Precision::mixed, Precision::bf16,
                              Precision::fp8, Precision::int8, Precision::fp4})
      CHECK(model.cost(op, Pass::forward, 512, p).time > Duration{0});
  }
}

TEST_CASE("a GPU without rates is refused") {
  GpuRates gpu = made_up_gpu();
  gpu.sm_count = 0;
  CHECK_THROWS_AS(GpuCostModel::create(gpu), Error);
}

TEST_CASE("a library of fits without a needed class is an error") {
  const GpuModelLibrary nothing{{}};
  CHECK_THROWS_AS(static_cast<void>(nothing.choose(made_up_gpu(), KernelClass::gemm, Arithmetic::fp32,
                                                   LibraryGeneration::cudnn6)),
                  Error);
}

}  // namespace rackcast
