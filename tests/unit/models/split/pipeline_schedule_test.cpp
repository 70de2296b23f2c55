// When each stage of a pipeline works on which micro-batch, and the timeline of a split step.
#include "models/split/pipeline_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "models/collectives/cluster.hpp"
#include "models/split/split_trace.hpp"
#include "models/split/split_training.hpp"
#include "models/step/training.hpp"
#include "sim/engine/trace.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

PipelinePasses equal(int stages, int micro_batches, int parts, double message = 0) {
  const auto count = static_cast<std::size_t>(stages);
  return {std::vector<Duration>(count, Duration{1}), std::vector<Duration>(count, Duration{2}),
          Duration{message}, micro_batches, parts};
}

double length(const std::vector<PipelinePass>& passes) {
  return std::ranges::max(passes, {}, &PipelinePass::end).end.base();
}

/// The closed form of models/split/split_training.hpp.
double closed_form(const PipelinePasses& p) {
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < p.forward.size(); ++i) {
    const double t = (p.forward[i] + p.backward[i]).base();
    sum += t;
    most = std::max(most, t);
  }
  const auto stages = static_cast<double>(p.forward.size()), m = static_cast<double>(p.micro_batches);
  return (sum - most) / p.interleave + m * most + 2 * (m + stages - 2) * p.interleave * p.message.base();
}

SplitStep step_of(const PipelinePasses& p, Duration gradients, Duration optimizer) {
  SplitStep step;
  for (std::size_t i = 0; i < p.forward.size(); ++i) {
    StageTimes t;
    t.forward = p.forward[i];
    t.backward = p.backward[i];
    step.stages.push_back(t);
  }
  const auto m = static_cast<double>(p.micro_batches);
  step.slowest = p.forward.size() - 1;
  step.forward = m * p.forward.back();
  step.backward = m * p.backward.back();
  step.message = p.message;
  step.gradient_exchange = gradients;
  step.optimizer = optimizer;
  step.total = Duration{closed_form(p)} + gradients + optimizer;
  return step;
}

}  // namespace

TEST_CASE("issue 23, item 14: the schedule of a pipeline takes what the closed form says") {
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int rounds : {1, 2, 5})
      for (const int parts : {1, 2, 4}) {
        if (stages == 1 && parts > 1) continue;
        CAPTURE(stages);
        CAPTURE(rounds);
        CAPTURE(parts);
        PipelinePasses p = equal(stages, stages * rounds, parts);
        const auto passes = pipeline_schedule(p);
        REQUIRE(passes);
        CHECK(static_cast<double>(passes->size()) == pipeline_pass_count(p));
        CHECK(length(*passes) == doctest::Approx(closed_form(p)));
        p.forward.back() = Duration{1.4};  // the vocabulary product is on the last stage
        p.backward.back() = Duration{2.8};
        CHECK(length(*pipeline_schedule(p)) == doctest::Approx(closed_form(p)));
        p.message = Duration{0.1};
        CHECK(length(*pipeline_schedule(p)) <= closed_form(p) * (1 + 1e-12));
        CHECK(length(*pipeline_schedule(p)) > 0.85 * closed_form(p));
      }
  // Four micro-batches on four stages, 1 forward and 2 back: 3 x 3 of the bubble and 4 x 3 of work.
  CHECK(length(*pipeline_schedule(equal(4, 4, 1))) == doctest::Approx(21));
  CHECK(length(*pipeline_schedule(equal(4, 4, 3))) == doctest::Approx(15));
  CHECK_FALSE(pipeline_schedule(equal(4, 6, 2)));  // no multiple of the stages
  CHECK(pipeline_schedule(equal(4, 6, 1)));
}

TEST_CASE("passes of a stage follow each other, each after what it needs") {
  const PipelinePasses p = equal(4, 8, 2, 0.05);
  const auto passes = *pipeline_schedule(p);
  std::map<std::tuple<int, std::int64_t, bool>, Duration> ends;
  for (const PipelinePass& pass : passes)
    ends[{pass.part * 4 + pass.stage, pass.micro_batch, pass.backward}] = pass.end;
  const PipelinePass* before = nullptr;
  for (const PipelinePass& pass : passes) {
    if (before && before->stage == pass.stage) CHECK(pass.start >= before->end);
    const int layer = pass.part * 4 + pass.stage;
    const int needed = pass.backward ? layer + 1 : layer - 1;
    if (needed >= 0 && needed < 8) CHECK(pass.start >= ends[{needed, pass.micro_batch, pass.backward}]);
    if (pass.backward) CHECK(pass.start >= ends[{layer, pass.micro_batch, false}]);
    before = &pass;
  }
  // 1F1B: the first stage of four has at most four micro-batches under way.
  int under_way = 0, most = 0;
  const auto plain = *pipeline_schedule(equal(4, 16, 1));
  for (const PipelinePass& pass : plain)
    if (pass.stage == 0) most = std::max(most, under_way += pass.backward ? -1 : 1);
  CHECK(most == 4);
}

TEST_CASE(
    "issue 23, item 14: the timeline of a split step has its stages, micro-batches, bubble and exchange") {
  const Catalog catalog = Catalog::builtin();
  const Cluster cluster =
      make_cluster(catalog, node_spec(catalog, "dgx_a100_640gb"), {.nodes = 2, .fabric = {}, .gpus = 16});
  const PipelinePasses p = equal(4, 8, 1);
  const SplitStep step = step_of(p, Duration{5}, Duration{2});
  Tracer tracer{Clock{TickLength::picosecond}};
  const SplitSpec spec{.tensor = 2, .pipeline = 4, .micro_batches = 8};
  CHECK(trace_split(step, spec, cluster, Duration{3}, tracer).empty());
  std::map<std::string, std::map<std::string, double>> times;
  std::map<std::string, int> forward;
  for (const Tracer::Span& span : tracer.spans()) {
    const std::string lane = std::string{span.group} + ", " + std::string{span.row};
    times[lane][std::string{span.name}] += tracer.clock().duration(span.end - span.start).base();
    if (span.name == "forward") ++forward[lane];
  }
  REQUIRE(times.size() == 4);
  CHECK(times.begin()->first == "Stage 1 of 4, node 0, GPU 0");
  CHECK(times.contains("Stage 3 of 4, node 1, GPU 0"));
  for (const auto& entry : times) {
    const auto& [lane, parts] = entry;
    INFO(entry.first);
    double sum = 0;
    for (const auto& [name, seconds] : parts) sum += seconds;
    CHECK(sum == doctest::Approx((step.total + Duration{3}).base()));
    CHECK(forward[lane] == 8);
    CHECK(parts.at("forward") == doctest::Approx(8));
    CHECK(parts.at("backward") == doctest::Approx(16));
    CHECK(parts.at("pipeline bubble") == doctest::Approx(9));  // (p - 1) x 3
    CHECK(parts.at("gradient exchange") == doctest::Approx(5));
    CHECK(parts.at("optimizer") == doctest::Approx(2));
    CHECK(parts.at("waiting for input") == doctest::Approx(3));
  }
}

TEST_CASE("a split step without a timeline says why") {
  const Catalog catalog = Catalog::builtin();
  const Cluster cluster =
      make_cluster(catalog, node_spec(catalog, "dgx_a100_640gb"), {.nodes = 1, .fabric = {}, .gpus = 4});
  Tracer tracer{Clock{TickLength::picosecond}};
  const SplitStep odd = step_of(equal(4, 6, 2), {}, {}), many = step_of(equal(4, 100'000, 1), {}, {});
  CHECK(trace_split(odd, {.pipeline = 4, .interleave = 2, .micro_batches = 6}, cluster, {}, tracer) ==
        "There is no timeline: an interleaved pipeline takes a multiple of its 4 stages as micro-batches, "
        "and a step has 6.");
  CHECK(trace_split(many, {.pipeline = 4, .micro_batches = 100'000}, cluster, {}, tracer) ==
        "There is no timeline: the step has 800000 passes of micro-batches through stages.");
  CHECK(tracer.size() == 0);
}
