/// The processes of one simulated training run.
#include "models/cluster.hpp"
#include "models/training_simulation.hpp"

namespace rackcast {

namespace {

/// Fetches one global batch after the other: storage, fabric, host cores and PCIe at once.
Process loader(Engine& engine, TrainingSimulation& run) {
  co_await run.begun.pass();
  for (int batch = 0;; ++batch) {
    run.loader_began = engine.now();
    co_await run.network.run(run.batch());
    co_await run.batches.push(batch);
  }
}

/// Sends buckets one after the other, in the order in which they become ready, as NCCL does on one stream;
/// with several streams there are several of these processes.
Process exchanger(Engine& engine, TrainingSimulation& run) {
  for (;;) {
    const auto which = co_await run.ready.pop();
    const SimTime began = engine.now();
    const Exchange& exchange = run.plan.exchanges[*which];
    if (!exchange.stages.empty()) {
      run.occupy(1);
      for (const FlowStage& stage : exchange.stages) {
        const double cap = stage.rate_cap > 0 ? stage.rate_cap * run.spec.network_scale : no_cap;
        co_await run.network.run({.work = stage.work,
                                  .uses = run.uses[static_cast<std::size_t>(stage.pattern)],
                                  .rate_cap = cap,
                                  .latency = stage.latency / run.spec.network_scale,
                                  .name = "gradient exchange",
                                  .track = run.plan.streams == 1 ? run.exchange_track : TrackId{}});
      }
      run.occupy(-1);
      run.exchange_busy += engine.clock().duration(engine.now() - began);
    }
    co_await run.reduced.push(*which);
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
Task<> exchange_vectors(Engine& engine, TrainingSimulation& run) {
  const SimTime began = engine.now();
  co_await engine.sleep(run.spec.vectors_inside);
  run.trace_vectors("inside nodes", began);
  const SimTime crossed = engine.now();
  co_await engine.sleep(run.spec.vectors_between);
  run.trace_vectors("between nodes", crossed);
  run.trace("exchange of table vectors", began);
}

/// The compute stream of the first GPU. Folded, it stands for all of its cell, since all do the same.
Process trainer(Engine& engine, TrainingSimulation& run) {
  const StepTimes& k = run.kernels;
  if (run.from == StartFrom::saved_state) {
    co_await run.network.run(run.state(run.plan.restore_pattern, "reading the state"));
    run.begun.open();
  }
  while (!run.done()) {
    if (run.save_due()) {
      co_await save(engine, run);
      if (run.done()) break;
    }
    StepRecord step;
    const Duration busy_before = run.exchange_busy;
    step.begin = engine.now();
    co_await run.batches.pop();
    step.batch = engine.now();
    co_await run.together.arrive();
    step.started = engine.now();
    co_await run.network.run(run.kernels_of(0, true, k.forward));
    co_await engine.sleep(run.plan.extra_forward);
    step.forward = engine.now();
    run.trace("forward", step.started);
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await run.network.run(run.kernels_of(0, true, k.buckets[b].before));
      const auto [from, until] = run.produce(b);
      for (std::size_t e = from; e < until; ++e) co_await run.ready.push(e);
    }
    co_await run.network.run(run.kernels_of(0, true, k.backward_tail));
    co_await engine.sleep(run.plan.extra_backward);
    step.backward = engine.now();
    run.last_backward = std::max(run.last_backward, step.backward);
    run.trace("backward", step.forward);
    for (std::size_t e = 0; e < run.plan.exchanges.size(); ++e) co_await run.reduced.pop();
    co_await run.together.arrive();
    step.last_backward = run.last_backward;
    step.exchanged = engine.now();
    run.trace("waiting for all-reduce", step.backward);
    co_await engine.sleep(k.optimizer / run.cells.front().pace);
    run.trace("optimizer", step.exchanged);
    if (run.spec.vectors_inside + run.spec.vectors_between > Duration{0})
      co_await exchange_vectors(engine, run);
    run.end_step(step, busy_before);
  }
}

/// The first GPU of another cell, or, where each is simulated, any other: produces its gradients and meets
/// the first where that one takes and gives.
Process other_trainer(Engine& engine, TrainingSimulation& run, std::size_t cell, bool first) {
  const StepTimes& k = run.kernels;
  for (;;) {
    co_await run.together.arrive();
    co_await run.network.run(run.kernels_of(cell, first, k.forward));
    co_await engine.sleep(run.plan.extra_forward);
    for (std::size_t b = 0; b < k.buckets.size(); ++b) {
      co_await run.network.run(run.kernels_of(cell, first, k.buckets[b].before));
      const auto [from, until] = run.produce(b);
      for (std::size_t e = from; e < until; ++e) co_await run.ready.push(e);
    }
    co_await run.network.run(run.kernels_of(cell, first, k.backward_tail));
    co_await engine.sleep(run.plan.extra_backward);
    run.last_backward = std::max(run.last_backward, engine.now());
    co_await run.together.arrive();
    co_await engine.sleep(k.optimizer / run.cells[cell].pace);
  }
}

}  // namespace

void spawn_processes(TrainingSimulation& run) {
  if (run.from == StartFrom::nothing) run.begun.open();
  run.engine.spawn("loader", loader(run.engine, run), {.daemon = true});
  for (int stream = 0; stream < run.plan.streams; ++stream)
    run.engine.spawn("exchange", exchanger(run.engine, run), {.daemon = true});
  run.engine.spawn("gpu", trainer(run.engine, run));
  for (std::size_t c = 0; c < run.cells.size(); ++c) {
    const int others = (run.spec.fold ? 1 : run.cells[c].ranks) - (c == 0 ? 1 : 0);
    for (int gpu = 0; gpu < others; ++gpu)
      run.engine.spawn("gpu", other_trainer(run.engine, run, c, c > 0 && gpu == 0), {.daemon = true});
  }
}

}  // namespace rackcast
