// What a Python program that calls a framework operator by operator adds to a step.
#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

GpuCostModel v100() {
  return GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "v100_sxm2_16gb")));
}

Operator dense(bool biased) {
  Operator op;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape = {.rows = 128, .n = 4096, .k = 1024};
  op.shape.elements_in = 128.0 * 1024;
  op.shape.elements_out = 128.0 * 4096;
  op.parameters = 4096.0 * 1024;
  op.biased = biased;
  return op;
}

Operator scores(std::int64_t tokens) {
  Operator op;
  op.kind = "attention";
  op.family = OperatorFamily::attention;
  op.shape = {.heads = 16, .seq = tokens, .kv_seq = tokens, .head_dim = 64};
  return op;
}

StepTime step_of(const Operator& op, const FrameworkProfile& profile,
                 Precision precision = Precision::mixed) {
  Workload workload;
  workload.operators.push_back(op);
  return step_time(workload, v100(), profile, {.batch = 64, .precision = precision, .optimizer = false});
}

/// Bytes over the rate of kernels that only move data: 0.8 of 900 GB/s.
double moving(double bytes) {
  return bytes / (0.8 * 900e9);
}

}  // namespace

TEST_CASE("a bias that the product does not add is read and written once more, and read going back") {
  FrameworkProfile apart, fused;
  fused.fuses_bias = true;
  const StepTime with = step_of(dense(true), apart), without = step_of(dense(false), apart);
  const double map = 2.0 * 64 * 128 * 4096;  // bytes
  CHECK((with.forward - without.forward).base() == doctest::Approx(moving(2 * map)));
  CHECK((with.backward - without.backward).base() == doctest::Approx(moving(map)));
  CHECK(step_of(dense(true), fused).total == step_of(dense(false), fused).total);
}

TEST_CASE("heads are copied and scores scaled around attention that is not one kernel") {
  FrameworkProfile eager, compiled;
  compiled.fuses_elementwise = true;
  const StepTime more = step_of(scores(128), eager), less = step_of(scores(128), compiled);
  const double heads = 4.0 * 128 * 64 * 16, pairs = 128.0 * 128 * 16;  // elements of one sample
  CHECK((more.forward - less.forward).base() == doctest::Approx(moving(2.0 * 64 * 2 * (heads + pairs))));
  CHECK((more.backward - less.backward).base() == doctest::Approx(moving(2.0 * 64 * 2 * heads)));
}

TEST_CASE("losses of 16-bit networks are computed in 32 bits") {
  Operator loss;
  loss.kind = "softmax";
  loss.family = OperatorFamily::softmax;
  loss.shape.elements_in = loss.shape.elements_out = 1e7;
  FrameworkProfile wide, narrow;
  narrow.loss_passes = 1;
  const double ratio = step_of(loss, wide).total / step_of(loss, narrow).total;
  CHECK(ratio == doctest::Approx(3.2).epsilon(0.02));
  CHECK(step_of(loss, wide, Precision::fp32).total == step_of(loss, narrow, Precision::fp32).total);
}

TEST_CASE("a step that waits for the host is as uncertain as the host's pace, one that does not is not") {
  FrameworkProfile profile;
  profile.host_per_step = Duration{0};
  profile.log_sigma = 0;
  profile.host_per_kernel = Duration{1e-9};
  const double ahead = step_of(dense(false), profile).log_sigma;
  profile.host_per_kernel = Duration{1};
  const double behind = step_of(dense(false), profile).log_sigma, of_host = host_log_sigma(profile);
  CHECK(behind == doctest::Approx(std::hypot(ahead, of_host)).epsilon(0.01));
  profile.fitted = {"host_per_kernel"};
  CHECK(host_log_sigma(profile) < of_host);
  CHECK(step_of(dense(false), profile).log_sigma < behind);
}

TEST_CASE("an eager framework without a fit takes its class's pace, a captured graph none of it") {
  const double pace = find_profile_parameter("host_per_kernel")->expected(Dispatch::eager);
  for (const char* name : {"megatron", "pytorch-fsdp", "nemo"}) {
    CAPTURE(name);
    CHECK(framework_profile({.name = name}).host_per_kernel.base() == doctest::Approx(pace * 1e-6));
  }
  CHECK(framework_profile({.name = "nemo", .script = "MLPerf stable-diffusion-v2"}).host_per_kernel.base() <=
        1e-6);
  CHECK(framework_profile({.name = "pytorch", .version = "NGC 21.05", .script = "MLPerf rnn-t"}).dispatch ==
        Dispatch::graph);
}

TEST_CASE("a Python program issues faster where it records nothing for gradients") {
  Workload workload;
  for (int i = 0; i < 10; ++i) workload.operators.push_back(dense(false));
  FrameworkProfile profile;
  profile.dispatch = Dispatch::eager;
  profile.host_per_step = Duration{0};
  profile.host_per_kernel = Duration{1};
  const auto forward = [&](bool training) {
    return step_time(workload, v100(), profile, {.batch = 1, .training = training}).forward.base();
  };
  CHECK(forward(false) == doctest::Approx(2.0 / 3 * forward(true)).epsilon(0.01));
  profile.dispatch = Dispatch::graph;
  CHECK(forward(false) == doctest::Approx(forward(true)).epsilon(0.01));
}

TEST_CASE("a Python program starts what surrounds attention and products, too") {
  // A host that takes a second for a kernel: the step has as many seconds as kernels. Forward, both products,
  // scale, mask, softmax, dropout and four copies are 10; back, four products and the same 8 are 12.
  FrameworkProfile profile;
  profile.dispatch = Dispatch::eager;
  profile.host_per_step = Duration{0};
  profile.host_per_kernel = Duration{1};
  profile.host_backward = 1;
  const auto kernels_of = [&](const std::vector<Operator>& operators) {
    Workload workload;
    workload.operators = operators;
    const StepTime t = step_time(workload, v100(), profile,
                                 {.batch = 64, .precision = Precision::mixed, .optimizer = false});
    return std::pair{std::round(t.forward.base()), std::round(t.backward.base())};
  };
  const auto kernels = [&](const Operator& op) {
    return kernels_of({op});
  };
  CHECK(kernels(scores(128)) == std::pair{10.0, 12.0});
  CHECK(kernels(dense(true)) == std::pair{1.0, 3.0});  // the bias's gradient is a sum
  CHECK(kernels(dense(false)) == std::pair{1.0, 2.0});
  Operator gelu;
  gelu.kind = "gelu";
  gelu.family = OperatorFamily::elementwise;
  gelu.fusable = true;
  gelu.shape.elements_in = gelu.shape.elements_out = 1e6;
  CHECK(kernels(gelu) == std::pair{1.0, 1.0});
  // Fused: products, softmax with scale and mask, dropout, one copy; bias and activation are still started.
  profile.fuses_elementwise = true;
  CHECK(kernels(scores(128)) == std::pair{5.0, 7.0});
  CHECK(kernels_of({gelu, dense(false)}).first == 2);  // the product waits for its launch, too
  // Back, the product waits for the launches of the activation both ways.
  CHECK(kernels_of({dense(false), gelu}).second == 2 + 2);
  profile.attention = AttentionKernel::flash2;
  CHECK(kernels(scores(128)) == std::pair{2.0, 2.0});
  // What holds the whole network has one launch for each operator, and none for what it fuses.
  profile.dispatch = Dispatch::graph;
  profile.attention = AttentionKernel::unfused;
  CHECK(kernels(scores(128)) == std::pair{1.0, 1.0});
  CHECK(kernels_of({gelu, dense(false)}).first == 1);
}
