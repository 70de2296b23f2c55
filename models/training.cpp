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
#include "sim/engine.hpp"
#include "sim/error.hpp"
#include "sim/fluid.hpp"
#include "sim/queue.hpp"
#include "sim/sync.hpp"
#include "sim/trace.hpp"

namespace rackcast {

namespace {

constexpr std::array parts_of_step = {
    &StepParts::input_wait,    &StepParts::forward,   &StepParts::backward, &StepParts::straggler_wait,
    &StepParts::exchange_wait, &StepParts::optimizer, &StepParts::total,    &StepParts::exchange_busy};

constexpr int kMostSteps = 400;  ///< simulated before the mean stands in for a period that does not repeat

/// GPUs that compute at the same pace.
struct Cell {
  double pace = 1;  ///< rate over the normal one
  int ranks = 0;
};

/// That of the first GPU comes first, the others in the order of the nodes.
std::vector<Cell> cells_of(const Cluster& cluster, const std::vector<NodePace>& paces) {
  std::vector<Cell> out;
  for (const DeviceId gpu : cluster.ranks) {
    const double pace = paces[static_cast<std::size_t>(cluster.topology.device(gpu).node)].compute;
    const auto known = std::ranges::find(out, pace, &Cell::pace);
    if (known == out.end()) {
      out.push_back({pace, 1});
    } else {
      ++known->ranks;
    }
  }
  return out;
}

struct StepRecord {
  SimTime begin, batch, started, forward, backward, last_backward, exchanged, end;
  std::size_t queued = 0;  ///< batches ready at the end
  SimTime loader_phase{};  ///< since the loader began its present batch
  Duration exchange_busy{0};

  /// Two steps with the same signature start from the same state, so everything after them repeats.
  [[nodiscard]] std::array<std::int64_t, 9> signature() const {
    return {(end - begin).ticks,
            (batch - begin).ticks,
            (started - batch).ticks,
            (forward - started).ticks,
            (backward - forward).ticks,
            (last_backward - backward).ticks,
            (exchanged - last_backward).ticks,
            static_cast<std::int64_t>(queued),
            loader_phase.ticks};
  }
};

/// Everything the processes of one simulated run share.
struct Run {
  Run(const DataParallelPlan& of, const StepTimes& per_step, const TrainingSpec& with,
      std::vector<Cell> of_cells, Tracer* tracer)
      : plan(of),
        kernels(per_step),
        spec(with),
        cells(std::move(of_cells)),
        network(engine),
        batches(engine, "batches", static_cast<std::size_t>(std::max(1, with.input.prefetch))),
        ready(engine, "gradient buckets", std::max<std::size_t>(1, of.exchanges.size())),
        reduced(engine, "reduced buckets", std::max<std::size_t>(1, of.exchanges.size())),
        processes(with.fold ? static_cast<int>(cells.size()) : of.ranks),
        produced(per_step.buckets.size(), 0),
        together(engine, "all GPUs", static_cast<std::uint64_t>(processes)) {
    engine.set_tracer(tracer);
    uses.resize(static_cast<std::size_t>(plan.patterns));
    for (const PlanResource& r : plan.resources) {
      const ResourceId id = network.add_units(r.name, r.capacity);
      const double scale = r.is_input_only ? spec.input_scale : spec.network_scale;
      for (const auto& [pattern, units] : r.uses)
        uses[static_cast<std::size_t>(pattern)].push_back({id, units / scale});
    }
    for (const Cell& cell : cells) compute.push_back({{network.add_units("multiprocessors", cell.pace), 1}});
    if (tracer) {
      gpu_track = tracer->track("Node 0, GPU 0", "compute stream");
      exchange_track = tracer->track("Node 0, GPU 0", "communication stream");
      loader_track = tracer->track("Node 0, host", "data loader");
    }
  }

  const DataParallelPlan& plan;
  const StepTimes& kernels;
  const TrainingSpec& spec;
  std::vector<Cell> cells;
  Engine engine;
  Network network;
  Queue<int> batches;
  Queue<std::size_t> ready, reduced;
  int processes;                            ///< GPUs that are simulated: one of each cell, or every one
  std::vector<int> produced;                ///< of each bucket: processes that have it in this step
  Barrier together;                         ///< of the processes
  std::vector<std::vector<Usage>> uses;     ///< of each pattern
  std::vector<std::vector<Usage>> compute;  ///< the GPU of each cell
  int exchanging = 0;                       ///< collectives on the GPU
  std::vector<StepRecord> steps;
  SimTime loader_began{};
  SimTime last_backward{};  ///< end of the latest back-propagation
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
  const double left = run.exchanging > 0 ? 1 - collective_slowdown() : 1;
  for (std::size_t c = 0; c < run.cells.size(); ++c)
    run.network.set_capacity(run.compute[c].front().resource, left * run.cells[c].pace);
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

/// Exchanges that may begin now that one more process has this bucket: those of the bucket, once all have it.
std::pair<std::size_t, std::size_t> produce(Run& run, std::size_t bucket) {
  if (++run.produced[bucket] < run.processes) return {0, 0};
  run.produced[bucket] = 0;
  const std::vector<Exchange>& all = run.plan.exchanges;  // ascending buckets
  const auto begin = std::ranges::lower_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  const auto end = std::ranges::upper_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  return {static_cast<std::size_t>(begin - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

/// Kernels of so much time at the normal pace. GPUs beside the first of their cell, where each is simulated,
/// follow it in time: nothing but the pace of their cell bounds them.
Activity kernels_of(const Run& run, std::size_t cell, bool first, Duration time) {
  Activity activity{.work = time.base(), .name = "kernels"};
  if (first) {
    activity.uses = run.compute[cell];
  } else {
    activity.rate_cap = run.cells[cell].pace;
  }
  return activity;
}

/// The compute stream of the first GPU. Folded, it stands for all of its cell, since all do the same.
Process trainer(Engine& engine, Run& run) {
  const StepTimes& k = run.kernels;
  while (!run.steady && run.steps.size() < most_steps(run)) {
    StepRecord step;
    const Duration busy_before = run.exchange_busy;
    step.begin = engine.now();
    co_await run.batches.pop();
    step.batch = engine.now();
    co_await run.together.arrive();
    step.started = engine.now();
    co_await run.network.run(kernels_of(run, 0, true, k.forward));
    co_await engine.sleep(run.plan.extra_forward);
    step.forward = engine.now();
    trace(run, "forward", step.started);
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await run.network.run(kernels_of(run, 0, true, k.buckets[b].before));
      const auto [from, until] = produce(run, b);
      for (std::size_t e = from; e < until; ++e) co_await run.ready.push(e);
    }
    co_await run.network.run(kernels_of(run, 0, true, k.backward_tail));
    co_await engine.sleep(run.plan.extra_backward);
    step.backward = engine.now();
    run.last_backward = std::max(run.last_backward, step.backward);
    trace(run, "backward", step.forward);
    for (std::size_t e = 0; e < run.plan.exchanges.size(); ++e) co_await run.reduced.pop();
    co_await run.together.arrive();
    step.last_backward = run.last_backward;
    step.exchanged = engine.now();
    trace(run, "waiting for all-reduce", step.backward);
    co_await engine.sleep(k.optimizer / run.cells.front().pace);
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

/// The first GPU of another cell, or, where each is simulated, any other: produces its gradients and meets
/// the first where that one takes and gives.
Process other_trainer(Engine& engine, Run& run, std::size_t cell, bool first) {
  const StepTimes& k = run.kernels;
  for (;;) {
    co_await run.together.arrive();
    co_await run.network.run(kernels_of(run, cell, first, k.forward));
    co_await engine.sleep(run.plan.extra_forward);
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await run.network.run(kernels_of(run, cell, first, k.buckets[b].before));
      const auto [from, until] = produce(run, b);
      for (std::size_t e = from; e < until; ++e) co_await run.ready.push(e);
    }
    co_await run.network.run(kernels_of(run, cell, first, k.backward_tail));
    co_await engine.sleep(run.plan.extra_backward);
    run.last_backward = std::max(run.last_backward, engine.now());
    co_await run.together.arrive();
    co_await engine.sleep(k.optimizer / run.cells[cell].pace);
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
    add(sum.straggler_wait, s.batch, s.started);
    add(sum.forward, s.started, s.forward);
    add(sum.backward, s.forward, s.backward);
    add(sum.straggler_wait, s.backward, s.last_backward);
    add(sum.exchange_wait, s.last_backward, s.exchanged);
    add(sum.optimizer, s.exchanged, s.end);
    add(sum.total, s.begin, s.end);
    sum.exchange_busy += s.exchange_busy;
  }
  const auto n = static_cast<double>(count);
  for (Duration StepParts::*const part : parts_of_step) sum.*part /= n;
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
  if (p.straggler_wait > p.exchange_wait) return "GPU compute of the stragglers";
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
  const std::vector<NodePace> paces = node_paces(cluster, spec.stragglers);
  Run run{plan, kernels, spec, cells_of(cluster, paces), tracer};
  run.engine.spawn("loader", loader(run.engine, run), {.daemon = true});
  for (int stream = 0; stream < plan.streams; ++stream)
    run.engine.spawn("exchange", exchanger(run.engine, run), {.daemon = true});
  run.engine.spawn("gpu", trainer(run.engine, run));
  for (std::size_t c = 0; c < run.cells.size(); ++c) {
    const int others = (spec.fold ? 1 : run.cells[c].ranks) - (c == 0 ? 1 : 0);
    for (int gpu = 0; gpu < others; ++gpu)
      run.engine.spawn("gpu", other_trainer(run.engine, run, c, c > 0 && gpu == 0), {.daemon = true});
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
  for (Duration StepParts::*const part : parts_of_step) b.*part = ((n - 1.0) * (a.*part) + b.*part) / n;
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
