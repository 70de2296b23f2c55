// Memory of a transformer that is split over GPUs.
#include "models/memory/split_memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "models/networks/workload.hpp"
#include "models/split/expert_parallel.hpp"
#include "sim/base/error.hpp"

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
  s.dropout = true;
  return s;
}

/// Of the stage that keeps most.
Bytes most_activations(const TransformerShape& shape, const Mesh& mesh) {
  Bytes most{0};
  for (const StageHolding& stage : stage_holdings(shape, mesh)) most = std::max(most, stage.activations);
  return most;
}

constexpr double gib = 1024.0 * 1024 * 1024;

}  // namespace

TEST_CASE("activations of a layer follow the published count") {
  // 5 a s / h = 80. One GPU: s b h (34 + 80); eight: 10 + 24 / 8 + 80 / 8 = 23, with the sequence split 114
  // / 8.
  const double unit = 2048.0 * 12288;
  Mesh spec;
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
  const Mesh spec{.tensor = 8, .pipeline = 8, .interleave = 3, .micro_batches = 0};
  CHECK(first_stage_activations(gpt3(), spec).base() / gib == doctest::Approx(66.8).epsilon(0.002));
  // 12 h^2 x 12 layers / 8 x 18 bytes = 45.6 GiB, and the embedding, a position table aside.
  const double states = 18 * most_parameters(gpt3(), spec).all / gib;
  CHECK(states > 45.6);
  CHECK(states < 47.5);
}

TEST_CASE("issue 23, item 5: activations know a split sequence, attention in one kernel and no dropout") {
  TransformerShape shape = gpt3();
  const double unit = 2048.0 * 12288;
  Mesh spec{.tensor = 8, .sequence_parallel = true};
  KeptSpec kept{.fused_attention = true};
  // 34 / 8, and 4 bytes for each of 96 / 8 heads in the place of the scores: 48 / 12288 of the unit.
  CHECK(layer_activations(shape, spec, kept).base() == doctest::Approx((4.25 + 48.0 / 12288) * unit));
  spec.sequence_parallel = false;
  CHECK(layer_activations(shape, spec, kept).base() == doctest::Approx((13 + 48.0 / 12288) * unit));
  shape.dropout = false;  // two masks fewer
  CHECK(layer_activations(shape, spec, kept).base() == doctest::Approx((11 + 48.0 / 12288) * unit));
  kept.fused_attention = false;  // the softmax alone: 2 a s / (h t) = 32 / 8
  CHECK(layer_activations(shape, spec, kept).base() == doctest::Approx((11 + 4) * unit));
  kept.element = Bytes{4};
  CHECK(layer_activations(shape, spec, kept).base() == doctest::Approx(2 * 15 * unit));
}

TEST_CASE("issue 23, item 5: as many micro-batches wait as the schedule has under way") {
  Mesh spec{.tensor = 8, .pipeline = 8, .micro_batches = 0};
  const Bytes all = first_stage_activations(gpt3(), spec);
  CHECK(all.base() == doctest::Approx(96 * layer_activations(gpt3(), spec).base()));
  spec.micro_batches = 2;  // of eight
  CHECK(first_stage_activations(gpt3(), spec).base() == doctest::Approx(all.base() / 4));
  spec.micro_batches = 64;
  CHECK(first_stage_activations(gpt3(), spec).base() == doctest::Approx(all.base()));
  // A sequence over two GPUs: half of the tokens, whose scores still meet all keys.
  spec.context = 2;
  CHECK(first_stage_activations(gpt3(), spec).base() == doctest::Approx(all.base() / 2));
}

TEST_CASE("GPipe keeps all micro-batches on every stage, and ZB-H1 as many as the first stage of 1F1B") {
  Mesh spec{.tensor = 8, .pipeline = 8, .micro_batches = 32};
  TransformerShape shape = gpt3();
  shape.dropout = false;
  const Bytes plain = first_stage_activations(shape, spec);
  spec.schedule = PipelineSchedule::zero_bubble;
  CHECK(first_stage_activations(shape, spec) == plain);
  // The last stage keeps as much, and what the vocabulary product takes.
  CHECK((most_activations(shape, spec) - plain).base() == doctest::Approx(2048.0 * (4 * 12288 + 4 * 6400)));
  spec.schedule = PipelineSchedule::gpipe;
  CHECK(first_stage_activations(shape, spec).base() == doctest::Approx(4 * plain.base()));
}

TEST_CASE("ZB-H2 keeps about twice the micro-batches, and DualPipe two stages and one micro-batch more") {
  Mesh spec{.tensor = 8, .pipeline = 8, .micro_batches = 32};
  TransformerShape shape = gpt3();
  shape.dropout = false;
  const Bytes plain = first_stage_activations(shape, spec);
  const std::vector<StageHolding> stages = stage_holdings(shape, spec);
  spec.schedule = PipelineSchedule::zero_bubble_2p;
  CHECK(first_stage_activations(shape, spec).base() == doctest::Approx(15.0 / 8 * plain.base()));
  spec.schedule = PipelineSchedule::dualpipe;
  CHECK(first_stage_activations(shape, spec).base() == doctest::Approx(9.0 / 8 * plain.base()));
  const std::vector<StageHolding> both = stage_holdings(shape, spec);
  CHECK(both.front().parameters.all == stages.front().parameters.all + stages.back().parameters.all);
  CHECK(both.back().parameters.all == both.front().parameters.all);
  CHECK(both[3].layers == stages[3].layers + stages[4].layers);
  CHECK(both[3].activations.base() == doctest::Approx(9.0 / 8 * plain.base()));
}

TEST_CASE("issue 23, item 5: the planner's activations are the paper's, the vocabulary's and a layer's") {
  const Mesh none{.tensor = 8, .pipeline = 8, .interleave = 3, .micro_batches = 0};
  // Beside the layers: the mask of the embedding, a byte for each of 8 micro-batches.
  const double unit = 2048.0 * 12288;
  CHECK((most_activations(gpt3(), none) - first_stage_activations(gpt3(), none)).base() ==
        doctest::Approx(8 * unit));
  Mesh one{.tensor = 8};
  // 2 h for the last norm and 2 h for the product, 4 bytes for each of 51200 / 8 words, and the mask.
  CHECK((most_activations(gpt3(), one) - first_stage_activations(gpt3(), one)).base() ==
        doctest::Approx(2048.0 * (4 * 12288 + 4 * 6400) + unit));
  one.recompute = Recomputation::full;  // a layer of 23 s h that is computed again, less its input
  CHECK((most_activations(gpt3(), one) - first_stage_activations(gpt3(), one)).base() ==
        doctest::Approx(2048.0 * (4 * 12288 + 4 * 6400) + unit + 21 * unit));
}

TEST_CASE("shapes that cannot be cut have no memory") {
  CHECK_THROWS_AS((void)layer_activations(gpt3(), {.tensor = 7}), Error);
  CHECK_THROWS_AS((void)first_stage_activations(gpt3(), {.pipeline = 97}), Error);
  CHECK_THROWS_AS((void)layer_activations(gpt3(), {.tensor = 0}), Error);
}

TEST_CASE("layers of another build keep what their operators keep, cut in the same way") {
  TransformerShape plain = gpt3(), experts = gpt3();
  plain.dropout = experts.dropout = false;
  experts.experts = 8;
  experts.top_k = 1;
  experts.moe_ffn = 4 * experts.hidden;
  for (const bool sequence : {false, true}) {
    const Mesh mesh{.tensor = 8, .sequence_parallel = sequence};
    const KeptSpec kept{.fused_attention = true};
    // 4 h outside the products, 12 h / 8 in them; experts keep the tokens in their order besides, h.
    const double own = sequence ? 4.0 / 8 + 1.5 : 4 + 1.5;
    const double ratio = layer_activations(experts, mesh, kept) / layer_activations(plain, mesh, kept);
    CHECK(ratio == doctest::Approx((own + 1) / own).epsilon(0.02));
  }
}

TEST_CASE("layers counted by kind are those of the whole network") {
  for (const char* model : {"deepseek-v3", "llama-4-maverick", "llama3-8b"}) {
    CAPTURE(model);
    const Workload whole = load_workload(model);
    const TransformerShape& shape = *whole.transformer;
    for (const int pipeline : {1, 2, 4}) {
      StageParameters sum;
      double layers = 0;
      for (const StageHolding& stage : stage_holdings(shape, {.pipeline = pipeline})) {
        sum.all += stage.parameters.all;
        sum.of_experts += stage.parameters.of_experts;
        layers += stage.layers;
      }
      CHECK(sum.all == whole.trained_parameters());
      CHECK(sum.of_experts == expert_parameters(whole));
      CHECK(layers == static_cast<double>(shape.layers));
    }
    double kept = 0;
    for (const Operator& op : whole.operators)
      if (op.place.layer > 0) kept += op.activation_elements - op.score_elements;
    // Plain layers have a formula of their own.
    if (shape.experts > 0)
      CHECK(layer_activations(shape, {}, {.fused_attention = true}).base() ==
            doctest::Approx(2 * kept / static_cast<double>(shape.layers)).epsilon(1e-12));
  }
}
