/// The processes of one simulated training run.
#include "models/collectives/cluster.hpp"
#include "models/step/training_simulation.hpp"

namespace rackcast {

namespace {

/// Fetches one batch of the crew after the other: storage, fabric, host cores and PCIe at once.
Process loader(Engine& engine, TrainingSimulation& run, RunningCrew& crew) {
  co_await run.begun.pass();
  for (int batch = 0;; ++batch) {
    crew.loader_began = engine.now();
    co_await run.network.run(run.batch(crew));
    co_await crew.batches.push(batch);
  }
}

/// Sends buckets one after the other, in the order in which they become ready, as NCCL does on one stream;
/// with several streams there are several of these processes.
Process exchanger(Engine& engine, TrainingSimulation& run, RunningCrew& crew) {
  for (;;) {
    const auto which = co_await crew.ready.pop();
    const SimTime began = engine.now();
    const Exchange& exchange = crew.plan.exchanges[*which];
    if (!exchange.stages.empty()) {
      run.occupy(1);
      for (const FlowStage& stage : exchange.stages) {
        const auto pattern = static_cast<std::size_t>(stage.pattern);
        const double cap = stage.rate_cap > 0 ? stage.rate_cap * run.spec.network_scale : no_cap;
        const bool row = run.plan.streams == 1 && crew.number == 0;
        co_await run.network.run({.work = stage.work,
                                  .uses = run.uses[pattern],
                                  .weight = run.plan.weights[pattern],
                                  .rate_cap = cap,
                                  .latency = stage.latency / run.spec.network_scale,
                                  .name = "gradient exchange",
                                  .track = row ? run.exchange_track : TrackId{}});
      }
      run.occupy(-1);
      crew.exchange_busy += engine.clock().duration(engine.now() - began);
    }
    co_await crew.reduced.push(*which);
  }
}

/// Waits for the end of a write that training does not wait for.
Process writer(Engine&, TrainingSimulation& run) {
  while (run.writing()) co_await run.network.wait(*run.background);
  run.end_write();
}

/// Training stands still for a save: until it is written, or copied to the host. Begins no save before the
/// one before it is written.
Task<> save(Engine& engine, TrainingSimulation& run) {
  const SaveSpec& spec = run.spec.save;
  const SimTime began = engine.now();
  run.begin_save();
  if (run.periodic) co_return;
  while (run.writing()) co_await run.network.wait(*run.background);
  co_await engine.sleep(spec.pause);
  if (spec.asynchronous) co_await run.network.run(run.state(run.plan.copy_pattern, "copy to the host"));
  run.background = run.network.start(run.state(run.plan.write_pattern, "checkpoint"));
  if (spec.asynchronous) {
    engine.spawn("checkpoint writer", writer(engine, run), {.daemon = true});
  } else {
    co_await run.network.wait(*run.background);
    run.end_write();
  }
  run.trace("checkpoint", began);
}

/// The vectors of split tables, which nothing hides: each GPU sends to all others of its node, then to its
/// peers on other nodes.
Task<> exchange_vectors(Engine& engine, TrainingSimulation& run, bool traced) {
  const SimTime began = engine.now();
  co_await engine.sleep(run.spec.vectors_inside);
  if (traced) run.trace_vectors("inside nodes", began);
  const SimTime crossed = engine.now();
  co_await engine.sleep(run.spec.vectors_between);
  if (!traced) co_return;
  run.trace_vectors("between nodes", crossed);
  run.trace("exchange of table vectors", began);
}

/// A GPU of a cell of a crew. `first`: of its cell.
struct Gpu {
  RunningCrew& crew;
  std::size_t cell = 0;
  bool first = true;
  [[nodiscard]] bool traced() const { return crew.number == 0 && cell == 0 && first; }
};

/// Back-propagation, or what comes between the buckets that follow the update: each leaves when the last GPU
/// of the crew has it.
Task<> send_buckets(Engine&, TrainingSimulation& run, Gpu gpu) {
  for (std::size_t b = 0; b < run.kernels.buckets.size(); ++b) {
    co_await run.network.run(run.kernels_of(gpu.crew, gpu.cell, gpu.first, run.kernels.buckets[b].before));
    const auto [from, until] = run.produce(gpu.crew, b);
    for (std::size_t e = from; e < until; ++e) co_await gpu.crew.ready.push(e);
  }
}

/// What has come back is made gradients, or weights, again.
Task<> unpack(Engine&, TrainingSimulation& run, Gpu gpu) {
  if (run.kernels.unpacking > Duration{0})
    co_await run.network.run(run.kernels_of(gpu.crew, gpu.cell, gpu.first, run.kernels.unpacking));
}

Task<> update(Engine& engine, TrainingSimulation& run, Gpu gpu) {
  co_await engine.sleep(run.kernels.optimizer / gpu.crew.cells[gpu.cell].pace);
}

/// From the batch to the end of back-propagation, or where weights are sent to that of the update.
Task<> compute(Engine& engine, TrainingSimulation& run, Gpu gpu, StepRecord& step) {
  const StepTimes& k = run.kernels;
  const SimTime began = engine.now();
  co_await run.network.run(run.kernels_of(gpu.crew, gpu.cell, gpu.first, k.forward));
  co_await engine.sleep(run.plan.extra_forward);
  step.forward = engine.now();
  if (gpu.traced()) run.trace("forward", began);
  if (!sends_after_update(run.spec.exchange)) co_await send_buckets(engine, run, gpu);
  co_await run.network.run(run.kernels_of(gpu.crew, gpu.cell, gpu.first, k.backward_tail));
  co_await engine.sleep(run.plan.extra_backward);
  step.backward = engine.now();
  if (gpu.traced()) run.trace("backward", step.forward);
  if (sends_after_update(run.spec.exchange)) {
    co_await update(engine, run, gpu);
    step.updated = engine.now();
    if (gpu.traced()) run.trace("optimizer", step.backward);
  }
  gpu.crew.last_backward = std::max(gpu.crew.last_backward, engine.now());
  if (sends_after_update(run.spec.exchange)) co_await send_buckets(engine, run, gpu);
}

/// The compute stream of the first GPU of a crew. Folded, it stands for all of its cell, since all do the
/// same.
Process trainer(Engine& engine, TrainingSimulation& run, RunningCrew& crew) {
  const Gpu gpu{crew};
  const bool leads = crew.number == 0;
  if (leads && run.from == StartFrom::saved_state) {
    co_await run.network.run(run.state(run.plan.restore_pattern, "reading the state"));
    run.begun.open();
  }
  while (!leads || !run.done()) {
    if (leads && run.save_due()) {
      co_await save(engine, run);
      if (run.done()) break;
    }
    StepRecord step;
    const Duration busy_before = crew.exchange_busy;
    step.begin = engine.now();
    co_await crew.batches.pop();
    step.batch = engine.now();
    co_await crew.together.arrive();
    step.started = engine.now();
    co_await compute(engine, run, gpu, step);
    for (std::size_t e = 0; e < crew.plan.exchanges.size(); ++e) co_await crew.reduced.pop();
    co_await crew.together.arrive();
    co_await unpack(engine, run, gpu);
    step.last_backward = crew.last_backward;
    step.exchanged = engine.now();
    if (gpu.traced()) run.trace("waiting for all-reduce", std::max(step.backward, step.updated));
    if (!sends_after_update(run.spec.exchange)) {
      co_await update(engine, run, gpu);
      step.updated = engine.now();
      if (gpu.traced()) run.trace("optimizer", step.exchanged);
    }
    if (run.spec.vectors_inside + run.spec.vectors_between > Duration{0})
      co_await exchange_vectors(engine, run, gpu.traced());
    run.end_step(crew, step, busy_before);
  }
}

/// The first GPU of another cell, or, where each is simulated, any other: produces its gradients and meets
/// the first where that one takes and gives.
Process other_trainer(Engine& engine, TrainingSimulation& run, Gpu gpu) {
  for (;;) {
    co_await gpu.crew.together.arrive();
    StepRecord step;
    co_await compute(engine, run, gpu, step);
    co_await gpu.crew.together.arrive();
    co_await unpack(engine, run, gpu);
    if (!sends_after_update(run.spec.exchange)) co_await update(engine, run, gpu);
  }
}

}  // namespace

void spawn_processes(TrainingSimulation& run) {
  if (run.from == StartFrom::nothing) run.begun.open();
  for (RunningCrew& crew : run.crews) {
    run.engine.spawn("loader", loader(run.engine, run, crew), {.daemon = true});
    for (int stream = 0; stream < run.plan.streams; ++stream)
      run.engine.spawn("exchange", exchanger(run.engine, run, crew), {.daemon = true});
    run.engine.spawn("gpu", trainer(run.engine, run, crew), {.daemon = crew.number > 0});
    for (std::size_t c = 0; c < crew.cells.size(); ++c) {
      const int others = (run.spec.fold ? 1 : crew.cells[c].ranks) - (c == 0 ? 1 : 0);
      for (int gpu = 0; gpu < others; ++gpu)
        run.engine.spawn("gpu", other_trainer(run.engine, run, {crew, c, c > 0 && gpu == 0}),
                         {.daemon = true});
    }
  }
}

}  // namespace rackcast
