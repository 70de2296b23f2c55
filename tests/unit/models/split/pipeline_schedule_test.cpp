// In which order each stage of a pipeline works, what its bubble is, and the timeline of a split step.
#include "models/split/pipeline_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/graph/graph_run.hpp"
#include "models/split/split_graph.hpp"
#include "models/split/split_trace.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/trace.hpp"

using namespace rackcast;

namespace {

/// Stages that go forward in 1 s and back in 2 s, half of that for the weights.
SplitWork equal(int stages, int micro_batches, int parts = 1,
                PipelineSchedule schedule = PipelineSchedule::one_f_one_b, double message = 0) {
  SplitWork work;
  work.pipeline = {stages, parts, micro_batches, schedule};
  work.message.time = Duration{message};
  for (int s = 0; s < stages; ++s) {
    StageWork& w = work.stages.emplace_back();
    w.forward = Duration{1};
    w.backward = Duration{2};
  }
  return work;
}

GraphRun run(const SplitWork& work) {
  return run_graph(split_graph(work).graph);
}

double length(const SplitWork& work) {
  return run(work).total.base();
}

/// sum t + (m - 1) max t, with the waiting of it cut by the parts, and messages (Narayanan et al., 2021).
double closed_form(const SplitWork& w) {
  double sum = 0, most = 0;
  for (const StageWork& s : w.stages) {
    const double t = (s.forward + s.backward).base();
    sum += t;
    most = std::max(most, t);
  }
  const double stages = w.pipeline.stages, m = static_cast<double>(w.pipeline.micro_batches);
  return (sum - most) / w.pipeline.parts + m * most +
         2 * (m + stages - 2) * w.pipeline.parts * w.message.time.base();
}

}  // namespace

TEST_CASE("the bubble of equal stages is what the papers say, whatever the schedule") {
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int rounds : {1, 2, 5, 40}) {
      CAPTURE(stages);
      CAPTURE(rounds);
      const int m = stages * rounds;
      const double waits = stages - 1;
      CHECK(length(equal(stages, m)) == doctest::Approx(3 * (m + waits)));
      CHECK(length(equal(stages, m, 1, PipelineSchedule::gpipe)) == doctest::Approx(3 * (m + waits)));
      // f + b - 2 w = 1 + 2 - 2.
      CHECK(length(equal(stages, m, 1, PipelineSchedule::zero_bubble)) == doctest::Approx(3 * m + waits));
      for (const int parts : {2, 4})
        if (stages > 1) CHECK(length(equal(stages, m, parts)) == doctest::Approx(3 * (m + waits / parts)));
    }
}

TEST_CASE("steps of ZB-H2 follow each other without a bubble") {
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int rounds : {2, 3, 40}) {
      CAPTURE(stages);
      CAPTURE(rounds);
      const int m = stages * rounds;
      const SplitGraph split = split_graph(equal(stages, m, 1, PipelineSchedule::zero_bubble_2p));
      CHECK(split.staggered);
      const GraphRun run = run_graph(split.graph);
      for (const std::uint32_t kernels : split.kernels)
        CHECK(run.parts(kernels).total.base() - run.time(kernels, split_task::filling).base() ==
              doctest::Approx(3 * m));
    }
}

TEST_CASE("DualPipe has at most the bubble of its report, and hides exchanges in the middle of the step") {
  for (const int stages : {2, 4, 6, 8, 16})
    for (const int rounds : {2, 3, 40}) {
      CAPTURE(stages);
      CAPTURE(rounds);
      const int m = stages * rounds;
      const SplitWork work = equal(stages, m, 1, PipelineSchedule::dualpipe);
      // f + 2 b - 3 w: a GPU works on m passes in all, half of them on each of its stages.
      const double bubble = (stages / 2.0 - 1) * (1 + 4 - 3);
      CHECK(length(work) >= 3 * m);
      CHECK(length(work) <= 3 * m + bubble + 1e-9);
      CHECK(length(work) < length(equal(stages, m)));
    }
  SplitWork work = equal(8, 160, 1, PipelineSchedule::dualpipe), plain = equal(8, 160);
  for (SplitWork* w : {&work, &plain})
    for (StageWork& stage : w->stages)
      stage.forward_experts.time = stage.backward_experts.time = Duration{0.5};
  const double shown = length(work) - length(equal(8, 160, 1, PipelineSchedule::dualpipe));
  CHECK(length(plain) - length(equal(8, 160)) > 160);  // all of them show
  CHECK(shown < 0.2 * 160);
  const double alone = length(work);
  work.slowdown = 0.1;  // while the exchanges run, for 1 s of each two passes that are one
  CHECK(length(work) > alone + 0.08 * 160);
  CHECK(length(work) < alone + 0.11 * 160);
  // Longer than the kernels, they set the pace.
  for (StageWork& stage : work.stages) stage.forward_experts.time = stage.backward_experts.time = Duration{2};
  CHECK(length(work) >= 4 * 160);
}

TEST_CASE("each GPU of DualPipe takes every micro-batch once through one of its two stages") {
  for (const int stages : {2, 4, 8})
    for (int stage = 0; stage < stages; ++stage) {
      CAPTURE(stage);
      const int m = 3 * stages;
      std::map<std::int64_t, std::string> passes;
      int under_way = 0, most = 0, together = 0;
      const std::vector<PipelinePass> order = stage_order({stages, 1, m, PipelineSchedule::dualpipe}, stage);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const PipelinePass& pass = order[i];
        CHECK(pass.mirrored == (pass.micro_batch >= m / 2));
        passes[pass.micro_batch] += "FBIW"[static_cast<int>(pass.kind)];
        under_way += pass.kind == PassKind::forward;
        most = std::max(most, under_way);
        under_way -= pass.kind == PassKind::backward || pass.kind == PassKind::input_gradient;
        if (!pass.with_next) continue;
        ++together;
        REQUIRE(i + 1 < order.size());
        CHECK(order[i + 1].kind == PassKind::backward);
        CHECK(order[i + 1].mirrored != pass.mirrored);
      }
      CHECK(passes.size() == static_cast<std::size_t>(m));
      for (const auto& [micro_batch, kinds] : passes) CHECK((kinds == "FB" || kinds == "FIW"));
      CHECK(most == stages + 1);
      CHECK(together > 0);
    }
  CHECK(whole_micro_batches({4, 1, 1, PipelineSchedule::dualpipe}, 3) == 8);
  CHECK(whole_micro_batches({4, 1, 1, PipelineSchedule::dualpipe}, 9) == 10);
  CHECK_THROWS_AS(stage_order({3, 1, 12, PipelineSchedule::dualpipe}, 0), Error);
  CHECK_THROWS_AS(stage_order({4, 1, 6, PipelineSchedule::dualpipe}, 0), Error);
}

TEST_CASE("a longer last stage and messages take what the closed form says, or less where others wait") {
  for (const int stages : {2, 4, 8})
    for (const int parts : {1, 2, 4}) {
      CAPTURE(stages);
      CAPTURE(parts);
      SplitWork work = equal(stages, 4 * stages, parts);
      work.stages.back().forward = Duration{1.4};  // the vocabulary product is on the last stage
      work.stages.back().backward = Duration{2.8};
      CHECK(length(work) == doctest::Approx(closed_form(work)));
      work.message.time = Duration{0.1};
      CHECK(length(work) <= closed_form(work) * (1 + 1e-12));
      CHECK(length(work) > 0.85 * closed_form(work));
    }
}

TEST_CASE("long pipelines are simulated lap by lap only until they repeat") {
  const GraphRun few = run(equal(8, 64)), many = run(equal(8, 6'400));
  CHECK(many.events < 2 * few.events);
  CHECK(many.total.base() == doctest::Approx(3 * (6'400 + 7.0)));
}

TEST_CASE("a stage keeps its order: each micro-batch forward before back, 1F1B with few under way") {
  for (const PipelineSchedule schedule :
       {PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe, PipelineSchedule::zero_bubble})
    for (int stage = 0; stage < 4; ++stage) {
      std::map<std::int64_t, int> steps;
      int under_way = 0, most = 0;
      for (const PipelinePass& pass : stage_order({4, 1, 16, schedule}, stage)) {
        const int expected = pass.kind == PassKind::forward           ? 0
                             : pass.kind == PassKind::weight_gradient ? 2
                                                                      : 1;
        CHECK(steps[pass.micro_batch]++ == expected);
        if (pass.kind == PassKind::forward) most = std::max(most, ++under_way);
        if (pass.kind == PassKind::backward || pass.kind == PassKind::weight_gradient) --under_way;
      }
      CHECK(steps.size() == 16);
      CHECK(most == (schedule == PipelineSchedule::gpipe         ? 16
                     : schedule == PipelineSchedule::one_f_one_b ? 4 - stage
                                                                 : 4));
    }
}

TEST_CASE("a schedule takes whole micro-batches, interleaved parts a multiple of the stages") {
  CHECK(whole_micro_batches({4, 1, 1}, 6) == 6);
  CHECK(whole_micro_batches({4, 1, 1}, 6.2) == 7);
  CHECK(whole_micro_batches({4, 2, 1}, 6) == 8);
  CHECK(whole_micro_batches({4, 2, 1}, 0.5) == 4);
  CHECK_THROWS_AS(stage_order({4, 2, 6}, 0), Error);
  CHECK(pipeline_pass_count({4, 2, 8}) == 128);
  // A step of 6 on 8 passes does three quarters of the work of 8.
  SplitWork part = equal(4, 8, 2);
  part.of_a_pass = 0.75;
  CHECK(length(part) == doctest::Approx(0.75 * length(equal(4, 8, 2))));
}

TEST_CASE("layers that are gathered ahead hide just what fits behind the kernels") {
  SplitWork work = equal(1, 1);
  StageWork& w = work.stages.front();
  w.layers = 10;  // 0.1 s forward and 0.2 s back each
  w.gather.time = Duration{0.05};
  w.scatter.time = Duration{0.1};
  // The first gather, the kernels, the last scatter; going back a gather and a scatter fit in 0.2 s.
  CHECK(length(work) == doctest::Approx(0.05 + 1 + 2 + 0.1));
  w.gather.time = Duration{0.15};  // longer than a layer forward; with a scatter longer than one back
  const double forward = 10 * 0.15 + 0.1, back = 0.15 * 10 + 0.1 * 10;
  CHECK(length(work) == doctest::Approx(forward + back).epsilon(0.07));
  CHECK(length(work) < forward + back + 0.2);
  w.gather.time = Duration{0};  // sharded gradients alone
  CHECK(length(work) == doctest::Approx(3.1));
}

TEST_CASE("a pass of a pipeline gathers the layers of its part ahead, and scatters going back") {
  const auto sharded = [](SplitWork work) {
    for (StageWork& w : work.stages) {
      w.layers = 10;
      w.gather.time = Duration{0.05};
      w.scatter.time = Duration{0.1};
    }
    return work;
  };
  // The first stage shows its first gather and its last scatter; the second gathers while it waits.
  const double ends = 0.05 + 0.1;
  CHECK(length(sharded(equal(2, 1))) == doctest::Approx(2 * 3 + ends));
  // Between two backward passes a stage scatters its last layer and gathers the first of the next.
  const PipelineSchedule gpipe = PipelineSchedule::gpipe;
  CHECK(length(sharded(equal(2, 2, 1, gpipe))) == doctest::Approx(3 * 3 + 2 * ends));
  // Gradients of weights need no weights; the last of them are scattered behind the kernels.
  const PipelineSchedule zero_bubble = PipelineSchedule::zero_bubble;
  CHECK(length(sharded(equal(2, 1, 1, zero_bubble))) == doctest::Approx(1 + 1 + 1 + 2 + ends));
  // Interleaved, four backward passes of five layers each.
  CHECK(length(sharded(equal(2, 2, 2))) == doctest::Approx(length(equal(2, 2, 2)) + 4 * ends));
}

TEST_CASE("gradients that leave beside the last backward pass show only what is left") {
  SplitWork work = equal(1, 4);
  StageWork& w = work.stages.front();
  w.layers = 10;
  w.gradients.time = Duration{1};
  CHECK(length(work) == doctest::Approx(12 + 1));
  w.gradients_overlap = true;
  CHECK(length(work) == doctest::Approx(12 + 0.1));  // the last of ten layers
  w.weights_first.time = Duration{0.5};
  CHECK(length(work) == doctest::Approx(12 + 0.05 + 0.1));
  w.gradients.time = Duration{4};  // 0.4 s for a layer that takes 0.2 s: the first layer, then ten sums
  CHECK(length(work) == doctest::Approx(12 - 2 + 0.05 + 0.2 + 4));
  work.slowdown = 0.1;  // the collective takes a tenth of the multiprocessors
  CHECK(length(work) > 12 - 2 + 0.05 + 0.2 + 4);
}

TEST_CASE("a stage that is done sums its gradients while others still work") {
  SplitWork work = equal(4, 8);
  for (StageWork& w : work.stages) w.gradients.time = Duration{5};
  // Stage 1 ends last, so its sum is the one that shows.
  CHECK(length(work) == doctest::Approx(closed_form(work) + 5));
  work.stages.front().gradients.time = Duration{1};  // stage 2 was done 2 s before
  CHECK(length(work) == doctest::Approx(closed_form(work) + 3));
}

TEST_CASE("the timeline of a split step has its stages, micro-batches, bubble and exchange") {
  SplitWork work = equal(4, 8);
  work.places = {"node 0, GPU 0", "node 0, GPU 4", "node 1, GPU 0", "node 1, GPU 4"};
  for (StageWork& w : work.stages) {
    w.gradients.time = Duration{5};
    w.optimizer = Duration{2};
  }
  Tracer tracer{Clock{TickLength::picosecond}};
  CHECK(trace_split(work, Duration{3}, tracer).empty());
  std::map<std::string, std::map<std::string, double>> times;
  std::map<std::string, int> forward;
  for (const Tracer::Span& span : tracer.spans()) {
    const std::string lane = std::string{span.group} + ", " + std::string{span.row};
    times[lane][std::string{span.name}] += tracer.clock().duration(span.end - span.start).base();
    if (span.name == "forward") ++forward[lane];
  }
  CHECK(times.begin()->first == "Stage 1 of 4, node 0, GPU 0");
  CHECK(times.contains("Stage 3 of 4, node 1, GPU 0"));
  REQUIRE(times.size() == 4);
  for (const auto& entry : times) {
    const auto& parts = entry.second;
    INFO(entry.first);
    double sum = 0;
    for (const auto& part : parts) sum += part.second;
    CHECK(sum == doctest::Approx(length(work) + 3));
    CHECK(forward[entry.first] == 8);
    CHECK(parts.at("forward") == doctest::Approx(8));
    CHECK(parts.at("backward") == doctest::Approx(16));
    CHECK(parts.at("pipeline bubble") == doctest::Approx(9));  // (p - 1) x 3
    CHECK(parts.at("gradient exchange") == doctest::Approx(5));
    CHECK(parts.at("optimizer") == doctest::Approx(2));
    CHECK(parts.at("waiting for input") == doctest::Approx(3));
  }
}

TEST_CASE("a split step without a timeline says why") {
  Tracer tracer{Clock{TickLength::picosecond}};
  SplitWork odd = equal(4, 8, 2);
  odd.of_a_pass = 0.75;
  CHECK(trace_split(odd, {}, tracer) ==
        "There is no timeline: the schedule takes whole micro-batches, interleaved parts a multiple of the 4 "
        "stages, and a step has 6.");
  CHECK(trace_split(equal(4, 100'000), {}, tracer) ==
        "There is no timeline: the step has 800000 passes of micro-batches through stages.");
  CHECK(tracer.size() == 0);
}

TEST_CASE("messages from stage to stage and gradients beside the kernels share the links evenly") {
  // Gradients of the later part leave while messages of the earlier one still come.
  SplitWork work = equal(2, 2, 2, PipelineSchedule::one_f_one_b, 0.5);
  work.message.links.between = 1;
  for (StageWork& w : work.stages) {
    w.gradients = {Duration{8}, {0, 1}};
    w.gradients_overlap = true;
  }
  const double shared = length(work);
  work.message.links.between = 0;
  const double alone = length(work);
  CHECK(shared > alone + 0.5);
  CHECK(shared < alone + 4 * 0.5);  // a message takes twice as long at most
}
