#include "models/training_simulation.hpp"

#include <algorithm>
#include <cmath>

#include "models/cluster.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostSteps = 400;  ///< simulated before the mean stands in for what does not repeat

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

std::array<std::int64_t, 9> StepRecord::signature() const {
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

TrainingSimulation::TrainingSimulation(const Cluster& cluster, const TrainingSpec& with,
                                       const DataParallelPlan& of, const StepTimes& per_step,
                                       StartFrom begin_with, Tracer* tracer)
    : plan(of),
      kernels(per_step),
      spec(with),
      from(begin_with),
      cells(cells_of(cluster, node_paces(cluster, with.stragglers))),
      network(engine),
      batches(engine, "batches", static_cast<std::size_t>(std::max(1, with.input.prefetch))),
      ready(engine, "gradient buckets", std::max<std::size_t>(1, of.exchanges.size())),
      reduced(engine, "reduced buckets", std::max<std::size_t>(1, of.exchanges.size())),
      processes(with.fold ? static_cast<int>(cells.size()) : of.ranks),
      produced(per_step.buckets.size(), 0),
      together(engine, "all GPUs", static_cast<std::uint64_t>(processes)),
      begun(engine, "the saved state") {
  engine.set_tracer(tracer);
  uses.resize(static_cast<std::size_t>(plan.patterns));
  for (const PlanResource& r : plan.resources) {
    const ResourceId id = network.add_units(r.name, r.capacity);
    const double scale = r.is_input_only ? spec.input_scale : spec.network_scale;
    for (const auto& [pattern, units] : r.uses)
      uses[static_cast<std::size_t>(pattern)].push_back({id, units / scale});
  }
  for (const PaceCell& cell : cells)
    compute.push_back({{network.add_units("multiprocessors", cell.pace), 1}});
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

bool TrainingSimulation::done() const {
  if (!spec.fold) return steps.size() >= most_steps();
  if (!saves.empty()) return recovered || periodic || steps.size() - saves[0].records >= most_steps();
  return !spec.save.asked && (steady || steps.size() >= most_steps());
}

bool TrainingSimulation::save_due() const {
  const SaveSpec& save = spec.save;
  if (!save.asked || steps.empty()) return false;
  if (!spec.fold && save.every > 0) return steps.size() % save.every == 0;
  if (!spec.fold) return saves.empty() && 2 * steps.size() >= most_steps();  // one, half way
  if (saves.empty()) return steady || steps.size() >= most_steps();
  return save.every > 0 && since_save() == save.every;
}

void TrainingSimulation::begin_save() {
  if (spec.fold && !saves.empty()) {
    const StepRecord& before = steps[saves.back().records - 1];
    periodic = steps.back().signature() == before.signature() && steps.back().unwritten == before.unwritten;
  }
  saves.push_back({steps.size(), steps.size() + skipped, now()});
}

void TrainingSimulation::end_write() {
  written = now() - saves.back().begin;
}

void TrainingSimulation::end_step(StepRecord step, Duration busy_before) {
  step.end = engine.now();
  step.queued = batches.size();
  step.loader_phase = step.end - loader_began;
  if (step.queued == static_cast<std::size_t>(spec.input.prefetch)) step.loader_phase = {};  // blocked
  step.exchange_busy = exchange_busy - busy_before;
  if (writing()) step.unwritten = network.work_left(*background);
  steps.push_back(step);
  if (steps.size() > 1) look_for_repetition();
}

void TrainingSimulation::look_for_repetition() {
  const StepRecord &last = steps.back(), &before = steps[steps.size() - 2];
  if (last.signature() != before.signature()) return;
  if (saves.empty()) {
    if (!steady) steady = steps.size() - 1;
    return;
  }
  if (!spec.fold || steps.size() < saves.back().records + 2) return;
  if (writing()) {
    pass_over_writing();
  } else {
    recovered = steady && before.unwritten == 0 && last.signature() == steps[*steady].signature();
  }
}

/// The steps are alike, and in each the write moves on by the same amount.
void TrainingSimulation::pass_over_writing() {
  StepRecord& last = steps.back();
  const double each = steps[steps.size() - 2].unwritten - last.unwritten;
  if (!(each > 0)) return;
  double times = std::floor(last.unwritten / each) - 1;
  if (spec.save.every > 0) times = std::min(times, static_cast<double>(spec.save.every - since_save()) - 1);
  if (times < 1) return;
  network.cancel(*background);
  Activity rest = state(plan.write_pattern, "checkpoint");
  rest.work = last.unwritten -= times * each;
  background = network.start(rest);
  skipped += static_cast<std::uint64_t>(times);
  skipped_time.ticks += static_cast<std::int64_t>(times) * (last.end - last.begin).ticks;
}

std::pair<std::size_t, std::size_t> TrainingSimulation::produce(std::size_t bucket) {
  if (++produced[bucket] < processes) return {0, 0};
  produced[bucket] = 0;
  const std::vector<Exchange>& all = plan.exchanges;  // ascending buckets
  const auto begin = std::ranges::lower_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  const auto end = std::ranges::upper_bound(all, static_cast<int>(bucket), {}, &Exchange::bucket);
  return {static_cast<std::size_t>(begin - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

void TrainingSimulation::occupy(int more) {
  if (!plan.on_gpus) return;
  exchanging += more;
  const double left = exchanging > 0 ? 1 - collective_slowdown() : 1;
  for (std::size_t c = 0; c < cells.size(); ++c)
    network.set_capacity(compute[c].front().resource, left * cells[c].pace);
}

Activity TrainingSimulation::kernels_of(std::size_t cell, bool first, Duration time) const {
  Activity activity{.work = time.base(), .name = "kernels"};
  if (first) {
    activity.uses = compute[cell];
  } else {
    activity.rate_cap = cells[cell].pace;
  }
  return activity;
}

Activity TrainingSimulation::batch() const {
  Activity activity{.work = spec.batch_per_gpu * spec.accumulation * plan.ranks,
                    .uses = uses[static_cast<std::size_t>(input_pattern)],
                    .weight = plan.input_weight,
                    .name = "batch",
                    .track = loader_track};
  return activity;
}

Activity TrainingSimulation::state(int pattern, std::string_view name) const {
  Activity activity{.work = work_of(spec.save.state), .uses = uses[static_cast<std::size_t>(pattern)]};
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
  if (Tracer* tracer = engine.tracer()) tracer->span(gpu_track, name, since, engine.now());
}

StepParts TrainingSimulation::parts() const {
  const bool one = steady && (spec.fold || !saves.empty());
  const std::size_t end = one ? *steady + 1 : saves.empty() ? steps.size() : saves.front().records;
  const std::size_t count = one ? 1 : std::min(end, end / 2 + 1);
  StepParts sum;
  const auto add = [&](Duration& to, SimTime since, SimTime until) {
    to += engine.clock().duration(until - since);
  };
  for (std::size_t i = end - count; i < end; ++i) {
    const StepRecord& s = steps[i];
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
  for (Duration StepParts::*const part : parts_of_step) sum.*part /= static_cast<double>(count);
  return sum;
}

Duration TrainingSimulation::warm_up() const {
  const bool saved = !saves.empty();
  const SimTime until = saved ? saves.front().begin : steps.back().end;
  return engine.clock().duration(until) -
         static_cast<double>(saved ? saves.front().records : steps.size()) * parts().total;
}

SaveRun TrainingSimulation::save() const {
  if (saves.empty()) return {};
  const bool pair = periodic && saves.size() > 1;
  const Save& since = pair ? saves[saves.size() - 2] : saves.front();
  const SimTime until = pair ? saves.back().begin : SimTime{steps.back().end.ticks + skipped_time.ticks};
  const std::uint64_t count = (pair ? saves.back().after : steps.size() + skipped) - since.after;
  const double times = pair ? 1 : static_cast<double>(saves.size());
  const Duration longer =
      engine.clock().duration(until - since.begin) - static_cast<double>(count) * parts().total;
  return {std::max(Duration{0}, longer / times), engine.clock().duration(written), count};
}

}  // namespace rackcast
