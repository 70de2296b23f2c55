#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models/memory.hpp"
#include "models/workload.hpp"
#include "sim/error.hpp"

using namespace rackcast;

TEST_CASE("fp32 training state is weights, gradients and momentum, four bytes each") {
  const Workload network = load_workload("resnet50");
  const MemoryUse use = training_memory(network, {.batch = 0});
  CHECK(use.weights.base() == 4 * network.parameters());
  CHECK(use.gradients.base() == 4 * network.parameters());
  CHECK(use.optimizer.base() == 4 * network.parameters());
  CHECK(use.activations.base() == 0);
}

TEST_CASE("mixed precision keeps 16-bit copies and halves activations; Adam keeps two values") {
  const Workload network = load_workload("resnet50");
  const MemoryUse fp32 = training_memory(network, {.batch = 32});
  const MemoryUse mixed =
      training_memory(network, {.batch = 32, .precision = Precision::mixed, .optimizer = Optimizer::adam});
  CHECK(mixed.weights.base() == 6 * network.parameters());
  CHECK(mixed.optimizer.base() == 8 * network.parameters());
  CHECK(mixed.activations.base() == doctest::Approx(fp32.activations.base() / 2));
}

TEST_CASE("frozen weights take memory and have no gradients and no state") {
  const Workload network = load_workload("mask-rcnn");  // stem and first stage
  REQUIRE(network.trained_parameters() < network.parameters());
  const MemoryUse fp32 = training_memory(network, {.batch = 0});
  CHECK(fp32.weights.base() == doctest::Approx(4 * network.parameters()));
  CHECK(fp32.gradients.base() == 4 * network.trained_parameters());
  CHECK(fp32.optimizer.base() == 4 * network.trained_parameters());
  const double frozen = network.parameters() - network.trained_parameters();
  const MemoryUse mixed = training_memory(network, {.batch = 0, .precision = Precision::mixed});
  CHECK(mixed.weights.base() == doctest::Approx(6 * network.trained_parameters() + 2 * frozen));
}

TEST_CASE("the largest batch fits, and one more does not") {
  const Workload network = load_workload("resnet50");
  for (const double gigabytes : {2.0, 16.0, 80.0}) {
    const Bytes available{gigabytes * 1e9};
    const double batch = largest_batch(network, {}, available);
    CHECK(training_memory(network, {.batch = batch}).total() <= available);
    CHECK(training_memory(network, {.batch = batch + 1}).total() > available);
  }
  CHECK(largest_batch(network, {}, Bytes{1e8}) == 0);
}

TEST_CASE("known limits of batch size are met: ResNet-50 fp32 trains 64 images on 16 GB, not 512") {
  // tf_cnn_benchmarks ran ResNet-50 with batch 64 (and 128) in fp32 on 16 GB P100s; 512 is out of the
  // question.
  const double batch = largest_batch(load_workload("resnet50"), {}, Bytes{16e9});
  CHECK(batch >= 64);
  CHECK(batch < 512);
}

TEST_CASE("scratch is what the largest convolution would take, and at most what the framework gives") {
  const Workload vgg = load_workload("vgg16");
  const auto scratch = [&](double batch, Bytes limit) {
    return training_memory(vgg, {.batch = batch, .workspace = limit}).workspace;
  };
  constexpr Bytes mib{0x1p20};
  CHECK(scratch(64, 8 * mib) == 8 * mib);
  CHECK(scratch(64, 4096 * mib) == 1024 * mib);
  CHECK(scratch(1, 512 * mib) < 512 * mib);
}

TEST_CASE("a negative batch is an error") {
  CHECK_THROWS_AS((void)training_memory(load_workload("alexnet"), {.batch = -1}), Error);
}

TEST_CASE("a split network keeps its part, and sharded states a part of that") {
  const Workload network = load_workload("gpt2-8.3b");
  MemoryOptions options{.precision = Precision::bf16, .optimizer = Optimizer::adam};
  const MemoryUse whole = training_memory(network, options);
  options.ways = 32;
  options.kept_micro_batches = 4;
  const MemoryUse part = training_memory(network, options);
  CHECK(part.weights.base() == doctest::Approx(whole.weights.base() / 32));
  CHECK(part.activations.base() == doctest::Approx(whole.activations.base() * 4 / 32));
  options.recompute = true;
  CHECK(training_memory(network, options).activations < 0.3 * part.activations);
  // Of 6 + 6 + 8 bytes a parameter, stage 1 shards 4 + 8, stage 2 6 more, stage 3 all.
  options.replicas = 8;
  const auto bytes = [&](int stage) {
    options.zero_stage = stage;
    const MemoryUse use = training_memory(network, options);
    return (use.weights + use.gradients + use.optimizer).base() / (network.parameters() / 32);
  };
  CHECK(bytes(0) == doctest::Approx(20));
  CHECK(bytes(1) == doctest::Approx(8 + 12.0 / 8));
  CHECK(bytes(2) == doctest::Approx(2 + 18.0 / 8));
  CHECK(bytes(3) == doctest::Approx(20.0 / 8));
}
TEST_CASE("attention in one kernel keeps no scores, and its networks train with Adam") {
  const Workload bert = load_workload("bert-large");
  MemoryOptions options;
  options.precision = Precision::mixed;
  options.batch = 8;
  const MemoryUse all = training_memory(bert, options);
  options.fused_attention = true;
  const MemoryUse fused = training_memory(bert, options);
  double scores = 0;
  for (const Operator& op : bert.operators) scores += op.score_elements;
  CHECK(all.activations - fused.activations == Bytes{8 * scores * 2});
  CHECK(scores > 0);
  CHECK(usual_optimizer(bert) == Optimizer::adam);
  CHECK(usual_optimizer(load_workload("resnet50")) == Optimizer::momentum);
}

TEST_CASE("GPUs for states sharded over replicas: as many as by hand, and one copy fewer does not fit") {
  const Workload network = load_workload("gpt2-8.3b");
  for (const int stage : {1, 2, 3}) {
    MemoryOptions options{.batch = 1, .precision = Precision::mixed, .optimizer = Optimizer::adam};
    options.ways = 4;
    options.recompute = true;
    options.zero_stage = stage;
    for (const double gigabytes : {16.0, 18.0, 24.0, 40.0, 80.0}) {
      const auto least = gpus_for_states(network, options, Bytes{gigabytes * 1e9});
      // Bytes of a parameter that are not sharded: all 20 but the optimizer's 12, its gradients' 6, its
      // copy's 2.
      const double whole = stage == 1 ? 8 : stage == 2 ? 2 : 0;
      options.batch = 1;
      const MemoryUse one = training_memory(network, options);
      const double rest = (one.activations + one.workspace + one.reserve).base();
      const double copy = network.parameters() / 4;
      const double left = gigabytes * 1e9 - rest - whole * copy;
      INFO(stage << " " << gigabytes);
      if (left <= 0) {
        CHECK_FALSE(least);
        continue;
      }
      REQUIRE(least);
      CHECK(*least == 4 * std::max(1.0, std::ceil((20 - whole) * copy / left)));
      options.replicas = *least / 4;
      CHECK(training_memory(network, options).total() <= Bytes{gigabytes * 1e9});
      options.replicas = 1;
    }
  }
  MemoryOptions options{.batch = 1, .precision = Precision::mixed, .optimizer = Optimizer::adam};
  CHECK_FALSE(gpus_for_states(network, options, Bytes{80e9}));  // nothing is sharded
}
