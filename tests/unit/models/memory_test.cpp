#include "models/memory/memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

TEST_CASE("fp32 training state is weights, gradients and momentum, four bytes each") {
  const Workload network = load_workload("resnet50");
  const MemoryUse use = training_memory(network, {.batch = 0});
  CHECK(use.weights.base() == 4 * network.parameters());
  CHECK(use.gradients.base() == 4 * network.parameters());
  CHECK(use.optimizer.base() == 4 * network.parameters());
  CHECK(use.activations.base() == 0);
}

TEST_CASE(
    "mixed precision keeps 16-bit copies and halves all activations but logits; Adam keeps two values") {
  const Workload network = load_workload("resnet50");
  const MemoryUse fp32 = training_memory(network, {.batch = 32});
  const MemoryUse mixed =
      training_memory(network, {.batch = 32, .precision = Precision::mixed, .optimizer = Optimizer::adam});
  CHECK(mixed.weights.base() == 6 * network.parameters());
  CHECK(mixed.optimizer.base() == 8 * network.parameters());
  // The loss holds 32 x 1000 logits in 4 bytes, not in 2.
  CHECK(mixed.activations.base() ==
        doctest::Approx(fp32.activations.base() / 2 + 2.0 * 32 * 1000).epsilon(1e-9));
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

TEST_CASE("issue 23, item 5: bytes of a parameter are those of the vendor's guide, gradients counted once") {
  // Megatron Core developer guide, distributed optimizer: with d replicas 20 and 4 + 16/d bytes for weights
  // and gradients of 16 bits, 18 and 6 + 12/d where gradients have 32, 16 and 8 + 8/d where all have.
  const Workload network = load_workload("gpt2-8.3b");
  const auto bytes = [&](Precision precision, bool wide, int stage, int replicas) {
    MemoryOptions options{.precision = precision, .optimizer = Optimizer::adam};
    options.wide_gradients = wide;
    options.mesh = Mesh{.data = replicas, .zero_stage = stage};
    const MemoryUse use = training_memory(network, options);
    return (use.weights + use.gradients + use.optimizer).base() / network.parameters();
  };
  for (const int d : {1, 8, 64}) {
    CHECK(bytes(Precision::fp16, false, 0, d) == doctest::Approx(20));
    CHECK(bytes(Precision::fp16, false, 1, d) == doctest::Approx(4 + 16.0 / d));
    CHECK(bytes(Precision::bf16, true, 0, d) == doctest::Approx(18));
    CHECK(bytes(Precision::bf16, true, 1, d) == doctest::Approx(6 + 12.0 / d));
    CHECK(bytes(Precision::fp32, false, 0, d) == doctest::Approx(16));
    CHECK(bytes(Precision::fp32, false, 1, d) == doctest::Approx(8 + 8.0 / d));
    // Stage 2 shards the gradients as well, stage 3 all.
    CHECK(bytes(Precision::fp16, false, 2, d) == doctest::Approx(2 + 18.0 / d));
    CHECK(bytes(Precision::bf16, true, 2, d) == doctest::Approx(2 + 16.0 / d));
    CHECK(bytes(Precision::bf16, true, 3, d) == doctest::Approx(18.0 / d));
  }
}

TEST_CASE("a split network keeps its part: a stage of the layers, a shard of their width") {
  const Workload network = load_workload("gpt2-8.3b");  // 72 layers of 3072
  MemoryOptions options{.precision = Precision::bf16, .optimizer = Optimizer::adam};
  const MemoryUse whole = training_memory(network, options);
  options.mesh = Mesh{.tensor = 8, .pipeline = 4, .micro_batches = 0};
  const MemoryUse part = training_memory(network, options);
  // 12 h^2 x 18 layers / 8, and the tables of words and positions that the first stage has besides.
  const double layers = 12.0 * 3072 * 3072 * 18 / 8, words = 51200.0 * 3072 / 8;
  CHECK(part.optimizer.base() / 8 > layers);
  CHECK(part.optimizer.base() / 8 == doctest::Approx(layers + words).epsilon(0.02));
  CHECK(part.weights < whole.weights / 28);
  options.mesh->recompute = Recomputation::full;
  CHECK(training_memory(network, options).activations < 0.3 * part.activations);
  options.mesh->tensor = 7;
  CHECK_THROWS_AS((void)training_memory(network, options), Error);
  CHECK_THROWS_AS((void)training_memory(load_workload("resnet50"), {.mesh = Mesh{}}), Error);
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
    MemoryOptions options{.precision = Precision::mixed, .optimizer = Optimizer::adam};
    options.mesh =
        Mesh{.tensor = 4, .micro_batches = 0, .recompute = Recomputation::full, .zero_stage = stage};
    for (const double gigabytes : {16.0, 18.0, 24.0, 40.0, 80.0}) {
      const auto least = gpus_for_states(network, options, Bytes{gigabytes * 1e9});
      // Bytes of a parameter that are not sharded: all 20 but the optimizer's 16, then but the gradients' 2,
      // then but the weights' 2.
      const double whole = stage == 1 ? 4 : stage == 2 ? 2 : 0;
      const Bytes one = training_memory(network, options).total();
      options.mesh->data = 2;  // more replicas have no more beside the states
      const MemoryUse two = training_memory(network, options);
      options.mesh->data = 1;
      const double rest = (two.total() - two.states()).base();
      const double copy = most_parameters(*network.transformer, *options.mesh).all;
      const double left = gigabytes * 1e9 - rest - whole * copy;
      INFO(stage << " " << gigabytes);
      if (one <= Bytes{gigabytes * 1e9}) {
        CHECK(least == 4);
        continue;
      }
      if (left <= 0) {
        CHECK_FALSE(least);
        continue;
      }
      REQUIRE(least);
      CHECK(*least == 4 * std::max(2.0, std::ceil((20 - whole) * copy / left)));
      options.mesh->data = static_cast<int>(*least / 4);
      CHECK(training_memory(network, options).total() <= Bytes{gigabytes * 1e9});
      options.mesh->data = 1;
    }
  }
  MemoryOptions options{.batch = 1, .precision = Precision::mixed, .optimizer = Optimizer::adam};
  CHECK_FALSE(gpus_for_states(network, options, Bytes{80e9}));  // nothing is sharded
}

TEST_CASE("what a trainer holds besides follows from its source, stage by stage") {
  // 16 layers of 2048 with an MLP of 8192 and 131072 words: 67.1 million parameters in a layer, 268 in the
  // table. Adam keeps 8 bytes, sums of gradients 4, main weights 4, weights 2.
  TransformerShape shape{.layers = 16, .hidden = 2048, .heads = 32, .vocab = 131072, .seq_len = 4096};
  shape.ffn = 8192;
  shape.gated_mlp = shape.tied_output = true;
  const Workload network = transformer_workload(shape);
  MemoryOptions options{.batch = 1, .precision = Precision::bf16, .optimizer = Optimizer::adam};
  options.wide_gradients = options.fused_attention = true;
  options.mesh = Mesh{.pipeline = 2, .data = 8, .micro_batches = 8};
  const double layer = 4.0 * 2048 * 2048 + 3.0 * 2048 * 8192 + 2 * 2048, words = 131072.0 * 2048;
  const auto states = [&](StageAsked stage) {
    options.stage = stage;
    return training_memory(network, options).states().base();
  };
  CHECK(states(StageAsked::first) == doctest::Approx(18 * (8 * layer + words)));
  CHECK(states(StageAsked::last) == doctest::Approx(18 * (8 * layer + words + 2048)));  // a copy of the table
  // The product with the table is worth four layers: ten of 20 shares, and six.
  options.trainer.stages = StageCut::by_cost;
  CHECK(states(StageAsked::first) == doctest::Approx(18 * (10 * layer + words)));
  CHECK(states(StageAsked::last) == doctest::Approx(18 * (6 * layer + words + 2048)));
  // Buckets where there are replicas, and at the update the copy of the weights and of the own eighth.
  options.trainer.keeps_buckets = true;
  CHECK(states(StageAsked::first) == doctest::Approx(20 * (10 * layer + words)));
  options.mesh->zero_stage = 1;
  options.stage = StageAsked::first;
  CHECK(training_memory(network, options).update.base() ==
        doctest::Approx(2 * (10 * layer + words) * (1 + 1.0 / 8)));
  options.mesh->data = 1;
  CHECK(states(StageAsked::first) == doctest::Approx(18 * (10 * layer + words)));
  CHECK(training_memory(network, options).update == Bytes{0});
}

TEST_CASE("gathered sequences stay, and results wait for their sums, where tensors are split") {
  const Workload network = load_workload("gpt2-8.3b");  // 72 layers of 3072, sequences of 1024
  MemoryOptions options{.precision = Precision::bf16, .optimizer = Optimizer::adam};
  options.mesh = Mesh{.tensor = 8, .micro_batch = 2, .micro_batches = 0, .sequence_parallel = true};
  const MemoryUse plain = training_memory(network, options);
  options.trainer.gather_buffers = 2;
  options.trainer.sums_in_flight = 10;
  const MemoryUse held = training_memory(network, options);
  const double sequence = 2 * 1024 * 3072 * 2.0;
  CHECK((held.buffers - plain.buffers).base() == doctest::Approx(2 * sequence));
  CHECK((held.unusable - plain.unusable).base() == doctest::Approx(10 * sequence));
  CHECK(held.allocated() - plain.allocated() == held.buffers - plain.buffers);
  options.trainer.sums_in_flight = 1e6;  // an allocator without memory waits for them
  CHECK(training_memory(network, options).unusable < 0.6 * held.activations);
  options.mesh->sequence_parallel = false;
  CHECK(training_memory(network, options).buffers == plain.buffers);
}

TEST_CASE("logits are gone when the gradients of a layer's maps are computed: the larger of the two counts") {
  const Workload network = load_workload("gpt2-8.3b");  // 3072 wide, 51200 words, sequences of 1024
  MemoryOptions options{.precision = Precision::bf16, .optimizer = Optimizer::adam};
  options.mesh = Mesh{};
  const auto activations = [&](double logit_bytes) {
    options.trainer.logit_bytes = logit_bytes;
    return training_memory(network, options).activations.base();
  };
  // Maps: 2 h + 3 f values of two bytes for each token. Output: 2 h values, and the bytes of each logit.
  const double maps = 1024 * (2 * 3072 + 3 * 12288) * 2.0, norm = 1024 * 2 * 3072 * 2.0;
  const double logits = 1024 * 51200 * 4.0;
  CHECK(activations(4) - activations(0) == doctest::Approx(norm + logits - maps));
  CHECK(activations(0.5) == activations(0));  // 39 of 88 MB
}

TEST_CASE(
    "the loss of a whole network holds its logits in the bytes of its trainer, for every word and position") {
  const Workload network = load_workload("gpt2-small");  // 50,257 words, sequences of 1024
  MemoryOptions options{.batch = 8, .precision = Precision::bf16, .optimizer = Optimizer::adam};
  const auto activations = [&](double logit_bytes) {
    options.trainer.logit_bytes = logit_bytes;
    return training_memory(network, options).activations.base();
  };
  CHECK(activations(10) - activations(4) == doctest::Approx(8.0 * 1024 * 50257 * 6));
  CHECK(activations(0) == activations(2));  // the softmax keeps its result of 16 bits in any case
}

TEST_CASE("products of 8 bits read casts of weights that have 16") {
  const Workload network = load_workload("gpt2-8.3b");
  MemoryOptions options{.precision = Precision::fp8, .optimizer = Optimizer::adam};
  options.wide_gradients = true;
  options.mesh = Mesh{};
  CHECK(training_memory(network, options).states().base() / network.parameters() == doctest::Approx(18));
}

TEST_CASE("a trainer's own library of products has scratch of its own") {
  const Workload network = load_workload("gpt2-8.3b");
  MemoryOptions options{.precision = Precision::bf16, .optimizer = Optimizer::adam};
  options.mesh = Mesh{};
  const Bytes without = training_memory(network, options).buffers;
  options.trainer.workspace = Bytes{0x1p25};
  CHECK(training_memory(network, options).buffers - without == Bytes{0x1p25});
}

TEST_CASE("the odds of a fit are half at the limit and grow with room") {
  CHECK(odds_of_fit(Bytes{80e9}, Bytes{80e9}) == doctest::Approx(0.5));
  const double sigma = memory_spread().reserved;
  CHECK(odds_of_fit(Bytes{80e9}, Bytes{80e9 * std::exp(sigma)}) == doctest::Approx(0.841345));
  CHECK(odds_of_fit(Bytes{80e9}, Bytes{80e9 * std::exp(-2 * sigma)}) == doctest::Approx(0.0227501));
  CHECK(odds_of_fit(Bytes{0}, Bytes{1}) == 1);
  CHECK(odds_of_fit(Bytes{1}, Bytes{0}) == 0);
}
