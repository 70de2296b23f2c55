#include "models/step/training_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/collectives/cluster.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostSteps = 400;  ///< simulated before the mean stands in for what does not repeat
constexpr std::size_t kOfEachCrew = 4;   ///< of which every crew has at least so many

/// That of the first GPU comes first, the others in the order of the nodes.
std::vector<PaceCell> cells_of(const Cluster& cluster, const std::vector<NodePace>& paces) {
  std::vector<PaceCell> out;
  for (const DeviceId gpu : cluster.ranks) {
    const double pace = paces[static_cast<std::size_t>(cluster.topology.device(gpu).node)].compute;
    const auto known = std::ranges::find(out, pace, &PaceCell::pace);
    if (known == out.end()) {
      out.push_back({pace, 1});
    } else {
      ++known->ranks;
    }
  }
  return out;
}

}  // namespace

StepSignature StepRecord::signature() const {
  return {(end - begin).ticks,
          (batch - begin).ticks,
          (started - batch).ticks,
          (forward - started).ticks,
          (backward - forward).ticks,
          (last_backward - backward).ticks,
          (exchanged - last_backward).ticks,
          (updated - backward).ticks,
          static_cast<std::int64_t>(queued),
          loader_phase.ticks};
}

RunningCrew::RunningCrew(Engine& engine, const DataParallelPlan& whole, const StepTimes& kernels,
                         std::size_t own, std::vector<PaceCell> of, bool fold, int prefetch)
    : plan(whole.crews[own]),
      number(own),
      cells(std::move(of)),
      processes(fold ? static_cast<int>(cells.size()) : plan.ranks),
      batches(engine, "batches", static_cast<std::size_t>(std::max(1, prefetch))),
      ready(engine, "gradient buckets", std::max<std::size_t>(1, plan.exchanges.size())),
      reduced(engine, "reduced buckets", std::max<std::size_t>(1, plan.exchanges.size())),
      produced(kernels.buckets.size(), 0),
      together(engine, "all GPUs", static_cast<std::uint64_t>(processes)) {}

TrainingSimulation::TrainingSimulation(const Cluster& cluster, const TrainingSpec& with,
                                       const DataParallelPlan& of, const StepTimes& per_step,
                                       StartFrom begin_with, Tracer* tracer)
    : plan(of),
      kernels(per_step),
      spec(with),
      from(begin_with),
      network(engine),
      begun(engine, "the saved state") {
  engine.set_tracer(tracer);
  uses.resize(static_cast<std::size_t>(plan.patterns));
  for (const PlanResource& r : plan.resources) {
    const ResourceId id = network.add_units(r.name, r.capacity);
    const double scale = r.is_input_only ? spec.input_scale : spec.network_scale;
    for (const auto& [pattern, units] : r.uses)
      uses[static_cast<std::size_t>(pattern)].push_back({id, units / scale});
  }
  for (std::size_t c = 0; c < plan.crews.size(); ++c) {
    std::vector<PaceCell> cells{{plan.crews[c].pace.compute, plan.crews[c].ranks}};
    if (plan.crews.size() == 1) cells = cells_of(cluster, node_paces(cluster, with.stragglers));
    RunningCrew& crew =
        crews.emplace_back(engine, plan, kernels, c, std::move(cells), with.fold, with.input.prefetch);
    for (const PaceCell& cell : crew.cells)
      crew.compute.push_back({{network.add_units("multiprocessors", cell.pace), 1}});
  }
  if (tracer) {
    gpu_track = tracer->track("Node 0, GPU 0", "compute stream");
    exchange_track = tracer->track("Node 0, GPU 0", "communication stream");
    if (spec.vectors_inside + spec.vectors_between > Duration{0})
      vectors_track = tracer->track("Node 0, GPU 0", "all-to-all of table vectors");
    loader_track = tracer->track("Node 0, host", "data loader");
    if (spec.save.asked) writer_track = tracer->track("Node 0, host", "checkpoint writer");
  }
}

RunSummary TrainingSimulation::run() {
  spawn_processes(*this);
  return engine.run(spec.limits);
}

std::size_t TrainingSimulation::most_steps() const {
  const bool all = !spec.fold && spec.steps > 0;
  return all ? static_cast<std::size_t>(spec.steps) : kMostSteps;
}

bool TrainingSimulation::enough() const {
  if (steps().size() < most_steps()) return false;
  return std::ranges::all_of(crews, [&](const RunningCrew& crew) {
    return crew.steps.size() >= std::min(most_steps(), kOfEachCrew);
  });
}

bool TrainingSimulation::done() const {
  if (!spec.fold) {
    double samples = 0;
    for (const RunningCrew& crew : crews) samples += static_cast<double>(crew.steps.size()) * crew.plan.ranks;
    return samples >= static_cast<double>(most_steps()) * plan.ranks;
  }
  if (!saves.empty()) return recovered || periodic || steps().size() - saves[0].records >= most_steps();
  return !spec.save.asked && (steady || enough());
}

bool TrainingSimulation::save_due() const {
  const SaveSpec& save = spec.save;
  if (!save.asked || steps().empty()) return false;
  if (!spec.fold && save.every > 0) return steps().size() % save.every == 0;
  if (!spec.fold) return saves.empty() && 2 * steps().size() >= most_steps();  // one, half way
  if (saves.empty()) return steady || enough();
  return save.every > 0 && since_save() == save.every;
}

void TrainingSimulation::begin_save() {
  if (spec.fold && !saves.empty()) {
    const StepRecord& before = steps()[saves.back().records - 1];
    periodic =
        steps().back().signature() == before.signature() && steps().back().unwritten == before.unwritten;
  }
  saves.push_back({steps().size(), steps().size() + skipped, now()});
  cycle_.restart();
}

void TrainingSimulation::end_write() {
  written = now() - saves.back().begin;
}

void TrainingSimulation::end_step(RunningCrew& crew, StepRecord step, Duration busy_before) {
  step.end = engine.now();
  step.queued = crew.batches.size();
  step.loader_phase = step.end - crew.loader_began;
  if (step.queued == static_cast<std::size_t>(spec.input.prefetch)) step.loader_phase = {};  // blocked
  step.exchange_busy = crew.exchange_busy - busy_before;
  if (writing()) step.unwritten = network.work_left(*background);
  crew.steps.push_back(step);
  // Several crews begin no step together: what one does says nothing of the state of all.
  if (crews.size() > 1) return;
  cycle_.add(step.signature());
  look_for_repetition();
}

void TrainingSimulation::look_for_repetition() {
  const std::size_t period = cycle_.period();
  if (period == 0) return;
  if (saves.empty()) {
    if (!steady) steady = steps().size() - 1, cycle_steps_ = period;
    return;
  }
  if (!spec.fold) return;
  if (writing()) {
    pass_over_writing(period);
  } else {
    recovered = steady && period == cycle_steps_ && steps()[steps().size() - 1 - period].unwritten == 0 &&
                steps().back().signature() == steps()[*steady].signature();
  }
}

/// Cycles of steps are alike, and in each the write moves on by the same amount.
void TrainingSimulation::pass_over_writing(std::size_t period) {
  StepRecord& last = steps().back();
  const StepRecord& before = steps()[steps().size() - 1 - period];
  const double each = before.unwritten - last.unwritten, length = static_cast<double>(period);
  if (!(each > 0)) return;
  double times = std::floor(last.unwritten / each) - 1;
  if (spec.save.every > 0)
    times = std::min(times, std::floor((static_cast<double>(spec.save.every - since_save()) - 1) / length));
  if (times < 1) return;
  network.cancel(*background);
  Activity rest = state(plan.write_pattern, "checkpoint");
  rest.work = last.unwritten -= times * each;
  background = network.start(rest);
  skipped += static_cast<std::uint64_t>(times) * period;
  skipped_time.ticks += static_cast<std::int64_t>(times) * (last.end - before.end).ticks;
}

std::pair<std::size_t, std::size_t> TrainingSimulation::produce(RunningCrew& crew, std::size_t bucket) {
  if (++crew.produced[bucket] < crew.processes) return {0, 0};
  crew.produced[bucket] = 0;
  const std::vector<Exchange>& all = crew.plan.exchanges;  // ascending buckets
  const auto begin = std::ranges::lower_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  const auto end = std::ranges::upper_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  return {static_cast<std::size_t>(begin - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

void TrainingSimulation::occupy(int more) {
  if (!plan.on_gpus) return;
  exchanging += more;
  const double left = exchanging > 0 ? 1 - collective_slowdown() : 1;
  for (const RunningCrew& crew : crews)
    for (std::size_t c = 0; c < crew.cells.size(); ++c)
      network.set_capacity(crew.compute[c].front().resource, left * crew.cells[c].pace);
}

Activity TrainingSimulation::kernels_of(const RunningCrew& crew, std::size_t cell, bool first,
                                        Duration time) const {
  Activity activity{.work = time.base(), .name = "kernels"};
  if (first) {
    activity.uses = crew.compute[cell];
  } else {
    activity.rate_cap = crew.cells[cell].pace;
  }
  return activity;
}

Activity TrainingSimulation::batch(const RunningCrew& crew) const {
  const auto pattern = static_cast<std::size_t>(crew.plan.input);
  return {.work = spec.batch_per_gpu * spec.accumulation * crew.plan.ranks,
          .uses = uses[pattern],
          .weight = plan.weights[pattern],
          .name = "batch",
          .track = crew.number == 0 ? loader_track : TrackId{}};
}

Activity TrainingSimulation::state(int pattern, std::string_view name) const {
  Activity activity{.work = work_of(spec.save.state),
                    .uses = uses[static_cast<std::size_t>(pattern)],
                    .weight = plan.weights[static_cast<std::size_t>(pattern)]};
  if (spec.save.client > Bandwidth{0} && pattern != plan.copy_pattern)
    activity.rate_cap = spec.save.client.base() * spec.input_scale / plan.busiest_save;
  activity.name = name;
  if (plan.busiest_save < 1 && pattern == plan.write_pattern)
    activity.name = "checkpoint, the node's own part";
  if (plan.busiest_save < 1 && pattern == plan.restore_pattern)
    activity.name = "reading the node's own part of the state";
  activity.track = writer_track;
  return activity;
}

void TrainingSimulation::trace_vectors(const char* name, SimTime since) {
  if (Tracer* tracer = engine.tracer(); tracer && engine.now() > since)
    tracer->span(vectors_track, name, since, engine.now());
}

void TrainingSimulation::trace(const char* name, SimTime since) {
  if (Tracer* tracer = engine.tracer(); tracer) tracer->span(gpu_track, name, since, engine.now());
}

}  // namespace rackcast
