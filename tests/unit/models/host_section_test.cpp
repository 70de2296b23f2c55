#include "models/frameworks/host_section.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

GpuRates made_up_gpu() {
  GpuRates gpu;
  gpu.name = "made_up";
  gpu.architecture = "Volta";
  gpu.sm_count = 10;
  gpu.fp32 = FlopRate{10e12};
  gpu.fp16 = FlopRate{20e12};
  gpu.memory = Bandwidth{1e12};
  gpu.l2 = Bytes{1e6};
  return gpu;
}

Operator linear() {
  Operator op;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = 1;
  op.shape.n = op.shape.k = 4096;
  op.shape.elements_in = op.shape.elements_out = 4096;
  op.parameters = 4096.0 * 4096;
  return op;
}

Operator map(const char* kind, double elements = 1e9) {
  Operator op;
  op.kind = kind;
  op.shape.elements_in = op.shape.elements_out = elements;
  return op;
}

StepTime step(const std::vector<Operator>& operators, const FrameworkProfile& profile,
              const StepOptions& options) {
  Workload workload;
  workload.operators = operators;
  return step_time(workload, GpuCostModel::create(made_up_gpu()), profile, options);
}

Duration map_time(const Operator& op, Pass pass, double batch, Precision precision) {
  const KernelCost cost = GpuCostModel::create(made_up_gpu()).cost(op, pass, batch, precision);
  return cost.time - cost.launch;
}

std::string error_of(const char* text) {
  try {
    read_host_section(parse_json(text, "profile"));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("results that are read back cost the host's pace with the queue empty, and the kernel waited for") {
  const KernelCost least =
      GpuCostModel::create(made_up_gpu()).cost(map("map", 1), Pass::forward, 1, Precision::fp32);
  FrameworkProfile plain;
  plain.host_per_kernel = Duration{50e-6};
  REQUIRE(least.time < plain.host_per_kernel);
  FrameworkProfile boxes = plain;
  boxes.between_passes = {.operations = 100, .operations_per_sample = 10, .waits = 20, .waits_per_sample = 5};
  const std::vector<Operator> network{linear(), map("relu")};
  const auto added = [&](double batch, bool training) {
    const StepOptions options{.batch = batch, .training = training};
    return (step(network, boxes, options).forward - step(network, plain, options).forward).base();
  };
  // 4 samples: 140 operations at 50 us = 7 ms, and 40 kernels that are waited for. The host was ahead by
  // then.
  CHECK(added(4, true) == doctest::Approx(7e-3 + 40 * least.time.base()));
  CHECK(added(8, true) == doctest::Approx(9e-3 + 60 * least.time.base()));
  CHECK(added(4, false) == 0);  // nothing is matched or sampled
  // A host in no hurry leaves the kernels themselves.
  plain.host_per_kernel = boxes.host_per_kernel = Duration{0};
  CHECK(added(4, true) == doctest::Approx(180 * least.time.base()));
}

TEST_CASE("the backward pass begins with no lead of the host") {
  FrameworkProfile plain;
  plain.host_per_kernel = Duration{1e-3};
  FrameworkProfile boxes = plain;
  boxes.between_passes = {.operations = 1, .waits = 1};
  // Forward takes longer than the host needs to issue all of the step: without the wait it is done by then.
  const std::vector<Operator> network{linear(), map("relu", 1e10)};
  const StepOptions options{.batch = 1, .optimizer = false};
  const StepTime ahead = step(network, plain, options), waits = step(network, boxes, options);
  CHECK(waits.backward.base() == doctest::Approx(ahead.backward.base() + 1e-3).epsilon(0.001));
}

TEST_CASE("a composed normalisation passes over its map twice going forward and once going back") {
  const Operator norm = map("frozen_norm");
  const auto time = [&](FrozenNorm how, Precision precision) {
    FrameworkProfile profile;
    profile.frozen_norm = how;
    return step({linear(), norm, linear()}, profile,
                {.batch = 1, .precision = precision, .optimizer = false});
  };
  using enum FrozenNorm;
  const StepTime whole = time(kernel, Precision::fp32), parts = time(composed, Precision::fp32);
  const Duration once = map_time(norm, Pass::forward, 1, Precision::fp32);
  CHECK((parts.forward - whole.forward).base() == doctest::Approx(once.base()).epsilon(0.01));
  CHECK(parts.backward.base() == doctest::Approx(whole.backward.base()));
  // fp32 needs no promotion.
  CHECK(time(promoted, Precision::fp32).total == parts.total);
}

TEST_CASE("promoted maps are cast, and stay in 32 bits up to the next product") {
  const Operator norm = map("frozen_norm"), relu = map("relu");
  const auto time = [&](FrozenNorm how, const std::vector<Operator>& operators) {
    FrameworkProfile profile;
    profile.frozen_norm = how;
    return step(operators, profile, {.batch = 1, .precision = Precision::mixed, .optimizer = false});
  };
  using enum FrozenNorm;
  const auto added = [&](const std::vector<Operator>& operators, Duration StepTime::*part) {
    return (time(promoted, operators).*part - time(composed, operators).*part).base();
  };
  const auto wider = [](const Operator& op, Pass pass) {
    return (map_time(op, pass, 1, Precision::fp32) - map_time(op, pass, 1, Precision::mixed)).base();
  };
  // A billion elements are cast in and out: 2 x 6 GB at 0.8 of 1 TB/s, 15 ms, either way.
  const double casts = 12e9 / 0.8e12;
  const std::vector<Operator> alone{linear(), norm, linear()};
  CHECK(added(alone, &StepTime::forward) ==
        doctest::Approx(2 * wider(norm, Pass::forward) + casts).epsilon(0.01));
  CHECK(added(alone, &StepTime::backward) ==
        doctest::Approx(wider(norm, Pass::data_gradient) + casts).epsilon(0.01));
  // What follows is wider and not cast again; behind the next product maps have 16 bits.
  const std::vector<Operator> followed{linear(), norm, relu, linear(), relu};
  CHECK(added(followed, &StepTime::forward) ==
        doctest::Approx(added(alone, &StepTime::forward) + wider(relu, Pass::forward)).epsilon(0.01));
  CHECK(added({linear(), relu}, &StepTime::total) == 0);
}

TEST_CASE("counts of a section that cannot be are errors") {
  CHECK(error_of(R"({"operations": 3, "waits": 3})") == "accepted");
  CHECK(error_of(R"({"operations": 2, "operations_per_sample": 0.5, "waits": 1})") == "accepted");
  CHECK(error_of("{}") == "accepted");
  const auto says = [](const char* text, const char* part) {
    CAPTURE(text);
    CHECK(error_of(text).find(part) != std::string::npos);
  };
  says(R"({"operations": 3})", "operations without a wait");
  says(R"({"operations": 3, "waits": 4})", "more waits than operations");
  says(R"({"operations": 9, "operations_per_sample": 1, "waits": 1, "waits_per_sample": 2})",
       "more waits than operations");
  says(R"({"operations": -1, "waits": -1})", "operations");
  says(R"({"operations": 1e7, "waits": 1})", "operations");
  says(R"({"operations": "3", "waits": 1})", "operations");
  says(R"({"operations": 3, "waits": 1, "wait": 1})", "wait");
  says("[3, 1]", "object");
  says(R"({"operations": 3, "waits": null})", "waits");
}

TEST_CASE("the script of Mask R-CNN has a profile of its own in the containers that ran it") {
  const auto id = [](const char* script, const char* version, bool training = true) {
    return framework_profile({.name = "pytorch", .version = version, .training = training, .script = script})
        .id;
  };
  CHECK(id("maskrcnn-benchmark", "NGC 19.02") == "pytorch-maskrcnn-benchmark");
  CHECK(id("", "NGC 19.02") == "pytorch-ngc");
  CHECK(id("maskrcnn-benchmark", "NGC 21.05") == "pytorch-ngc-21");  // native casts, other functions
  CHECK(id("maskrcnn-benchmark", "NGC 19.02", false) == "pytorch-ngc");
  const FrameworkProfile profile =
      framework_profile({.name = "pytorch", .version = "NGC 19.02", .script = "maskrcnn-benchmark"});
  CHECK(profile.frozen_norm == FrozenNorm::promoted);
  // The sums of the list beside them in the file.
  CHECK(profile.between_passes.operations == 30 + 45 + 4 + 46 + 60 + 22 + 19 + 12);
  CHECK(profile.between_passes.waits == 5 + 2 + 8 + 2 + 1 + 6);
  CHECK(profile.between_passes.operations_per_sample == 2 + 35 + 55 + 9 + 35 + 35 + 12 + 6 + 25 + 256);
  CHECK(profile.between_passes.waits_per_sample == 20 + 2 + 5 + 6 + 1 + 5 + 256);
  CHECK(profile.exchange == "apex_delayed");
  // Every other profile reads nothing back and has one kernel, or none where a compiler folds it.
  const auto others = framework_profiles();
  CHECK(std::ranges::count_if(others, [](const FrameworkProfile& p) {
          return p.between_passes.operations > 0 ||
                 (p.frozen_norm != FrozenNorm::kernel && p.frozen_norm != FrozenNorm::folded);
        }) == 1);
}

}  // namespace rackcast
