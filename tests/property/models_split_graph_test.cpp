// A split step, folded and lap by lap, is the same to the bit: times, and where each stream spends them.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "models/graph/graph_run.hpp"
#include "models/split/split_graph.hpp"
#include "sim/base/random.hpp"

using namespace rackcast;

namespace {

/// Times of many sizes, zero now and then.
Duration some_time(RandomStream& random) {
  return random.uniform() < 0.1 ? Duration{0}
                                : Duration{random.uniform() * (random.uniform() < 0.3 ? 1e-5 : 1e-2)};
}

int one_of(RandomStream& random, std::vector<int> choices) {
  return choices[static_cast<std::size_t>(random.uniform() * static_cast<double>(choices.size()))];
}

TimedExchange some_exchange(RandomStream& random) {
  return {some_time(random), {random.uniform(), random.uniform()}};
}

SplitWork some_step(RandomStream& random) {
  SplitWork work;
  const int stages = one_of(random, {1, 2, 3, 4, 8});
  const int schedule =
      one_of(random, stages % 2 == 0 ? std::vector{0, 0, 1, 2, 3, 4} : std::vector{0, 0, 1, 2, 3});
  work.pipeline.stages = stages;
  work.pipeline.schedule = static_cast<PipelineSchedule>(schedule);
  if (stages > 1 && schedule == 0) work.pipeline.parts = one_of(random, {1, 1, 2, 3});
  const bool both_ways = work.pipeline.schedule == PipelineSchedule::dualpipe;
  work.pipeline.micro_batches = (both_ways ? 2 : 1) * stages * one_of(random, {1, 2, 7, 40});
  work.of_a_pass = one_of(random, {0, 1}) == 0 ? 1 : 0.5 + random.uniform() / 2;
  work.message = some_exchange(random);
  work.slowdown = 0.2 * random.uniform();
  const bool overlap = random.uniform() < 0.5, shards = random.uniform() < 0.4,
             gathers = random.uniform() < 0.7, alike = random.uniform() < 0.5;
  const int layers = one_of(random, {1, 2, 5, 24});
  for (int s = 0; s < stages; ++s) {
    if (alike && s > 0) {
      work.stages.push_back(work.stages.front());
      continue;
    }
    StageWork& w = work.stages.emplace_back();
    w.forward = some_time(random);
    w.backward = some_time(random);
    w.weights_share = random.uniform();
    w.forward_exchange = some_exchange(random);
    w.backward_exchange = some_exchange(random);
    w.forward_experts = some_exchange(random);
    w.layers = layers;
    if (shards && !both_ways) {
      w.scatter = some_exchange(random);
      w.scatter.time += Duration{1e-6};
      if (gathers) w.gather = w.scatter;
      w.weights = some_exchange(random);
    } else {
      w.gradients = some_exchange(random);
      w.gradients_overlap = overlap;
      if (overlap && random.uniform() < 0.5) w.weights_first = some_exchange(random);
    }
    w.optimizer = some_time(random);
  }
  return work;
}

/// Of a micro-batch, in the mean of those that the GPU of stage `s` works on.
Duration forward_of(const SplitWork& work, std::size_t s) {
  const Duration own = work.stages[s].forward;
  if (work.pipeline.schedule != PipelineSchedule::dualpipe) return own;
  return (own + work.stages[work.stages.size() - 1 - s].forward) / 2.0;
}

}  // namespace

TEST_CASE("a split step that is folded is the step lap by lap, to the bit") {
  RandomStream random{2026, "split graphs"};
  std::uint64_t folded_events = 0, events = 0;
  for (int i = 0; i < 1000; ++i) {
    CAPTURE(i);
    const SplitWork work = some_step(random);
    const SplitGraph split = split_graph(work);
    const GraphRun folded = run_graph(split.graph), all = run_graph(split.graph, {.fold = false});
    CHECK(folded.total == all.total);
    for (std::uint32_t stream = 0; stream < split.graph.streams(); ++stream) {
      const auto &a = folded.spent[stream], &b = all.spent[stream];
      CHECK(std::ranges::equal(a, b, [](const GraphRun::Spent& x, const GraphRun::Spent& y) {
        return x.name == y.name && x.part == y.part && x.time == y.time;
      }));
    }
    // The kernels of a stage are its passes, whatever they wait for.
    for (std::size_t s = 0; s < work.stages.size(); ++s) {
      const StepParts parts = folded.parts(split.kernels[s]);
      const double passes = static_cast<double>(work.pipeline.micro_batches) * work.of_a_pass;
      CHECK(parts.forward.base() >= passes * forward_of(work, s).base() * (1 - 1e-6) - 1e-9);
      CHECK(parts.total.base() <= folded.total.base() * (1 + 1e-9) + 1e-12);
    }
    folded_events += folded.events;
    events += all.events;
  }
  CHECK(folded_events < events);
}
