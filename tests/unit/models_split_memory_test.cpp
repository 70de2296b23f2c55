// Memory of a transformer that is split over GPUs.
#include <doctest/doctest.h>

#include "models/split_memory.hpp"
#include "sim/error.hpp"

using namespace rackcast;

namespace {

/// GPT-3.
TransformerShape gpt3() {
  TransformerShape s;
  s.layers = 96;
  s.hidden = 12288;
  s.heads = 96;
  s.vocab = 51200;
  s.seq_len = 2048;
  return s;
}

constexpr double gib = 1024.0 * 1024 * 1024;

}  // namespace

TEST_CASE("activations of a layer follow the published count") {
  // 5 a s / h = 80. One GPU: s b h (34 + 80); eight: 10 + 24 / 8 + 80 / 8 = 23, with the sequence split 114
  // / 8.
  const double unit = 2048.0 * 12288;
  SplitMemorySpec spec;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(114 * unit));
  spec.tensor = 8;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(23 * unit));
  spec.sequence_parallel = true;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(14.25 * unit));
  spec.recompute = Recomputation::selective;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(4.25 * unit));
  spec.recompute = Recomputation::full;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(0.25 * unit));
  spec.micro_batch = 2;
  CHECK(layer_activations(gpt3(), spec).base() == doctest::Approx(0.5 * unit));
}

TEST_CASE("the first stage waits with as many micro-batches as there are stages") {
  // 96 layers x 23 s h x (1 + 7 / (8 x 3)): 66.8 GiB, as the paper's figure 1 has it.
  const SplitMemorySpec spec{.tensor = 8, .pipeline = 8, .interleave = 3};
  CHECK(first_stage_activations(gpt3(), spec).base() / gib == doctest::Approx(66.8).epsilon(0.002));
  // 12 h^2 x 12 layers / 8 x 18 bytes = 45.6 GiB, and the embedding, a position table aside.
  const double states = first_stage_states(gpt3(), spec).base() / gib;
  CHECK(states > 45.6);
  CHECK(states < 47.5);
}

TEST_CASE("shapes that cannot be cut have no memory") {
  CHECK_THROWS_AS((void)layer_activations(gpt3(), {.tensor = 7}), Error);
  CHECK_THROWS_AS((void)first_stage_activations(gpt3(), {.pipeline = 97}), Error);
  CHECK_THROWS_AS((void)layer_activations(gpt3(), {.tensor = 0}), Error);
  TransformerShape experts = gpt3();
  experts.experts = 8;
  CHECK_THROWS_AS((void)layer_activations(experts, {}), Error);
}
