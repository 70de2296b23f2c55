#include "models/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "models/cluster.hpp"
#include "models/data_parallel.hpp"
#include "models/gradient_buckets.hpp"
#include "models/straggler.hpp"
#include "sim/engine.hpp"
#include "sim/error.hpp"
#include "sim/fluid.hpp"
#include "sim/queue.hpp"
#include "sim/sync.hpp"
#include "sim/trace.hpp"

namespace rackcast {

namespace {

constexpr int kMostSteps = 400;  ///< simulated before the mean stands in for a period that does not repeat

struct StepRecord {
  SimTime begin, batch, forward, backward, exchanged, end;
  std::size_t queued = 0;  ///< batches ready at the end
  SimTime loader_phase{};  ///< since the loader began its present batch
  Duration exchange_busy{0};

  /// Two steps with the same signature start from the same state, so everything after them repeats.
  [[nodiscard]] std::array<std::int64_t, 7> signature() const {
    return {(end - begin).ticks,        (batch - begin).ticks,        (forward - batch).ticks,
            (backward - forward).ticks, (exchanged - backward).ticks, static_cast<std::int64_t>(queued),
            loader_phase.ticks};
  }
};

/// Everything the processes of one simulated run share.
struct Run {
  Run(const DataParallelPlan& of, const StepTimes& per_step, const TrainingSpec& with, Tracer* tracer)
      : plan(of),
        kernels(per_step),
        spec(with),
        network(engine),
        batches(engine, "batches", static_cast<std::size_t>(std::max(1, with.input.prefetch))),
        ready(engine, "gradient buckets", std::max<std::size_t>(1, of.exchanges.size())),
        reduced(engine, "reduced buckets", std::max<std::size_t>(1, of.exchanges.size())),
        processes(with.fold ? 1 : of.ranks),
        together(engine, "all GPUs", static_cast<std::uint64_t>(processes)) {
    engine.set_tracer(tracer);
    uses.resize(static_cast<std::size_t>(plan.patterns));
    for (const PlanResource& r : plan.resources) {
      const ResourceId id = network.add_units(r.name, r.capacity);
      const double scale = r.is_input_only ? spec.input_scale : spec.network_scale;
      for (const auto& [pattern, units] : r.uses)
        uses[static_cast<std::size_t>(pattern)].push_back({id, units / scale});
    }
    const Usage whole{network.add_units("multiprocessors", 1), 1};
    compute.push_back(whole);
    if (tracer) {
      gpu_track = tracer->track("Node 0, GPU 0", "compute stream");
      exchange_track = tracer->track("Node 0, GPU 0", "communication stream");
      loader_track = tracer->track("Node 0, host", "data loader");
    }
  }

  const DataParallelPlan& plan;
  const StepTimes& kernels;
  const TrainingSpec& spec;
  Engine engine;
  Network network;
  Queue<int> batches;
  Queue<std::size_t> ready, reduced;
  int processes;                         ///< GPUs that are simulated: one for all, or every one
  Barrier together;                      ///< of those
  std::vector<std::vector<Usage>> uses;  ///< of each pattern
  std::vector<Usage> compute;            ///< the GPU
  int exchanging = 0;                    ///< collectives on the GPU
  std::vector<StepRecord> steps;
  SimTime loader_began{};
  Duration exchange_busy{0};
  bool steady = false;
  TrackId gpu_track, exchange_track, loader_track;
};

/// Fetches one global batch after the other: storage, fabric, host cores and PCIe at once.
Process loader(Engine& engine, Run& run) {
  const double samples = run.spec.batch_per_gpu * run.spec.accumulation * run.plan.ranks;
  for (int batch = 0;; ++batch) {
    run.loader_began = engine.now();
    co_await run.network.run(
        {.work = samples, .uses = run.uses[input_pattern], .name = "batch", .track = run.loader_track});
    co_await run.batches.push(batch);
  }
}

/// Collectives run kernels of their own beside those of the network.
void occupy(Run& run, int more) {
  if (!run.plan.on_gpus) return;
  run.exchanging += more;
  run.network.set_capacity(run.compute.front().resource, run.exchanging > 0 ? 1 - collective_slowdown() : 1);
}

/// Sends buckets one after the other, in the order in which they become ready, as NCCL does on one stream;
/// with several streams there are several of these processes.
Process exchanger(Engine& engine, Run& run) {
  for (;;) {
    const auto which = co_await run.ready.pop();
    const SimTime began = engine.now();
    const Exchange& exchange = run.plan.exchanges[*which];
    if (!exchange.stages.empty()) {
      occupy(run, 1);
      for (const FlowStage& stage : exchange.stages) {
        const double cap = stage.rate_cap > 0 ? stage.rate_cap * run.spec.network_scale : no_cap;
        co_await run.network.run({.work = stage.work,
                                  .uses = run.uses[static_cast<std::size_t>(stage.pattern)],
                                  .rate_cap = cap,
                                  .latency = stage.latency / run.spec.network_scale,
                                  .name = "gradient exchange",
                                  .track = run.plan.streams == 1 ? run.exchange_track : TrackId{}});
      }
      occupy(run, -1);
      run.exchange_busy += engine.clock().duration(engine.now() - began);
    }
    co_await run.reduced.push(*which);
  }
}

void trace(Run& run, const char* name, SimTime from) {
  if (Tracer* tracer = run.engine.tracer()) tracer->span(run.gpu_track, name, from, run.engine.now());
}

/// How many steps are simulated at most.
std::size_t most_steps(const Run& run) {
  return run.spec.fold || run.spec.steps == 0 ? kMostSteps : static_cast<std::size_t>(run.spec.steps);
}

/// The compute stream of the first GPU. Folded, it stands for all of them, since all do the same.
Process trainer(Engine& engine, Run& run) {
  const StepTimes& k = run.kernels;
  while (!run.steady && run.steps.size() < most_steps(run)) {
    StepRecord step;
    const Duration busy_before = run.exchange_busy;
    step.begin = engine.now();
    co_await run.batches.pop();
    co_await run.together.arrive();
    step.batch = engine.now();
    co_await run.network.run({.work = k.forward.base(), .uses = run.compute, .name = "kernels"});
    co_await engine.sleep(run.plan.extra_forward);
    step.forward = engine.now();
    trace(run, "forward", step.batch);
    std::size_t next = 0;
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await run.network.run({.work = k.buckets[b].before.base(), .uses = run.compute, .name = "kernels"});
      co_await run.together.arrive();
      for (; next < run.plan.exchanges.size() && run.plan.exchanges[next].bucket == static_cast<int>(b);
           ++next)
        co_await run.ready.push(next);
    }
    co_await run.network.run({.work = k.backward_tail.base(), .uses = run.compute, .name = "kernels"});
    co_await engine.sleep(run.plan.extra_backward);
    step.backward = engine.now();
    trace(run, "backward", step.forward);
    for (std::size_t e = 0; e < run.plan.exchanges.size(); ++e) co_await run.reduced.pop();
    co_await run.together.arrive();
    step.exchanged = engine.now();
    trace(run, "waiting for all-reduce", step.backward);
    co_await engine.sleep(k.optimizer);
    step.end = engine.now();
    trace(run, "optimizer", step.exchanged);
    step.queued = run.batches.size();
    step.loader_phase = step.end - run.loader_began;
    if (step.queued == static_cast<std::size_t>(run.spec.input.prefetch)) step.loader_phase = {};  // blocked
    step.exchange_busy = run.exchange_busy - busy_before;
    run.steady = run.spec.fold && !run.steps.empty() && run.steps.back().signature() == step.signature();
    run.steps.push_back(step);
  }
}

/// Another GPU, where each is simulated: meets the others where the first takes and gives.
Process other_trainer(Engine& engine, Run& run) {
  const StepTimes& k = run.kernels;
  for (;;) {
    co_await run.together.arrive();
    co_await engine.sleep(k.forward + run.plan.extra_forward);
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await engine.sleep(k.buckets[b].before);
      co_await run.together.arrive();
    }
    co_await engine.sleep(k.backward_tail + run.plan.extra_backward);
    co_await run.together.arrive();
    co_await engine.sleep(k.optimizer);
  }
}

/// Mean over the last half of the steps if no period was found, else the last step.
StepParts parts_of(const Run& run) {
  const std::size_t count = run.steady ? 1 : run.steps.size() / 2 + 1;
  StepParts sum;
  const auto add = [&](Duration& to, SimTime from, SimTime until) {
    to += run.engine.clock().duration(until - from);
  };
  for (std::size_t i = run.steps.size() - count; i < run.steps.size(); ++i) {
    const StepRecord& s = run.steps[i];
    add(sum.input_wait, s.begin, s.batch);
    add(sum.forward, s.batch, s.forward);
    add(sum.backward, s.forward, s.backward);
    add(sum.exchange_wait, s.backward, s.exchanged);
    add(sum.optimizer, s.exchanged, s.end);
    add(sum.total, s.begin, s.end);
    sum.exchange_busy += s.exchange_busy;
  }
  const auto n = static_cast<double>(count);
  for (Duration* part : {&sum.input_wait, &sum.forward, &sum.backward, &sum.exchange_wait, &sum.optimizer,
                         &sum.total, &sum.exchange_busy}) {
    *part /= n;
  }
  return sum;
}

/// The resource that flows of these patterns saturate first: most time for the work of one step.
std::string tightest(const DataParallelPlan& plan, bool input) {
  std::vector<double> work(static_cast<std::size_t>(plan.patterns), 0);
  work[input_pattern] = input ? 1 : 0;
  for (const Exchange& exchange : plan.exchanges)
    for (const FlowStage& stage : exchange.stages)
      if (!input) work[static_cast<std::size_t>(stage.pattern)] += stage.work;
  const PlanResource* worst = nullptr;
  double longest = 0;
  for (const PlanResource& r : plan.resources) {
    double time = 0;
    for (const auto& [pattern, units] : r.uses)
      time += work[static_cast<std::size_t>(pattern)] * units / r.capacity;
    if (time > longest) longest = time, worst = &r;
  }
  return worst ? worst->what : "nothing";
}

std::string what_binds(const DataParallelPlan& plan, const TrainingSpec& spec, const StepParts& p) {
  // The GPUs wait for data in the steady state only if the input path sets the pace.
  if (p.input_wait > 0.001 * p.total) return tightest(plan, true);
  if (p.exchange_wait > p.forward + p.backward + p.optimizer) {
    const bool servers = spec.exchange.strategy == ExchangeStrategy::parameter_server;
    return (servers ? "parameter servers over " : "all-reduce over ") + tightest(plan, false);
  }
  return "GPU compute";
}

/// One simulation. Without gradients to send if `exchange` is false.
TrainingRun simulate_once(const Cluster& cluster, const TrainingSpec& spec, bool exchange, Tracer* tracer) {
  const StepTimes kernels = step_times(spec, static_cast<int>(cluster.ranks.size()));
  DataParallelPlan plan = plan_data_parallel(cluster, spec, kernels.buckets);
  if (!exchange) plan.exchanges.clear();
  Run run{plan, kernels, spec, tracer};
  run.engine.spawn("loader", loader(run.engine, run), {.daemon = true});
  for (int stream = 0; stream < plan.streams; ++stream)
    run.engine.spawn("exchange", exchanger(run.engine, run), {.daemon = true});
  run.engine.spawn("gpu", trainer(run.engine, run));
  for (int gpu = 1; gpu < run.processes; ++gpu) {
    run.engine.spawn("gpu", other_trainer(run.engine, run), {.daemon = true});
  }
  const RunSummary summary = run.engine.run(spec.limits);
  if (run.steps.empty()) {
    throw LimitReached{
        fmt::format("{} was reached before one training step was over", to_string(summary.reason)),
        {},
        "give the run a larger --limit",
        ErrorKind::internal};
  }

  TrainingRun out;
  out.parts = parts_of(run);
  out.ranks = plan.ranks;
  out.samples_per_step = spec.batch_per_gpu * spec.accumulation * plan.ranks;
  out.warm_up = run.engine.clock().duration(run.steps.back().end) -
                static_cast<double>(run.steps.size()) * out.parts.total;
  out.binds = what_binds(plan, spec, out.parts);
  out.events = summary.events;
  out.steps = run.steps.size();
  out.partial = summary.partial();
  out.compute_log_sigma = kernels.log_sigma;
  out.network_log_sigma = plan.comm_log_sigma;
  return out;
}

/// The mean of `n - 1` steps like `a` and one like `b`.
void blend(StepParts& b, const StepParts& a, int n) {
  for (Duration StepParts::*part :
       {&StepParts::input_wait, &StepParts::forward, &StepParts::backward, &StepParts::exchange_wait,
        &StepParts::optimizer, &StepParts::total, &StepParts::exchange_busy}) {
    b.*part = ((n - 1.0) * (a.*part) + b.*part) / n;
  }
}

}  // namespace

TrainingRun simulate_training(const Cluster& cluster, const TrainingSpec& spec, Tracer* tracer) {
  TrainingRun run = simulate_once(cluster, spec, true, tracer);
  const ExchangeSpec& x = spec.exchange;
  if (x.strategy == ExchangeStrategy::local_sgd && x.local_steps > 1)
    blend(run.parts, simulate_once(cluster, spec, false, nullptr).parts, x.local_steps);
  return run;
}

}  // namespace rackcast
