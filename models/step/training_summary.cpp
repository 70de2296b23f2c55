/// What the records of a simulated run add up to.
#include <algorithm>

#include "models/step/training_simulation.hpp"

namespace rackcast {

StepParts TrainingSimulation::mean(const std::vector<StepRecord>& records, std::size_t from_step,
                                   std::size_t until_step) const {
  StepParts sum;
  const auto add = [&](Duration& to, SimTime since, SimTime until) {
    to += engine.clock().duration(until - since);
  };
  for (std::size_t i = from_step; i < until_step; ++i) {
    const StepRecord& s = records[i];
    const SimTime ready = sends_after_update(spec.exchange) ? s.updated : s.backward;
    add(sum.input_wait, s.begin, s.batch);
    add(sum.straggler_wait, s.batch, s.started);
    add(sum.forward, s.started, s.forward);
    add(sum.backward, s.forward, s.backward);
    add(sum.optimizer, s.backward, ready);
    add(sum.straggler_wait, ready, s.last_backward);
    add(sum.exchange_wait, s.last_backward, s.exchanged);
    add(sum.optimizer, s.exchanged, s.end);
    add(sum.total, s.begin, s.end);
    sum.exchange_busy += s.exchange_busy;
  }
  for (Duration StepParts::*const part : parts_of_step)
    sum.*part /= static_cast<double>(std::max<std::size_t>(1, until_step - from_step));
  return sum;
}

StepParts TrainingSimulation::mean_of(const RunningCrew& crew) const {
  const std::size_t saved = crew.number == 0 && !saves.empty() ? saves.front().records : crew.steps.size();
  if (steady && (spec.fold || !saves.empty()))
    return mean(crew.steps, *steady + 1 - cycle_steps_, *steady + 1);
  std::size_t count = std::min(saved, saved / 2 + 1);
  if (steady) count = std::max(cycle_steps_, count / cycle_steps_ * cycle_steps_);  // whole cycles
  return mean(crew.steps, saved - std::min(saved, count), saved);
}

StepParts TrainingSimulation::parts() const {
  if (crews.size() == 1) return mean_of(crews.front());
  StepParts share;  // of the time of a GPU
  double rate = 0;  // steps of all per second
  for (const RunningCrew& crew : crews) {
    if (crew.steps.empty()) continue;  // a limit came first
    const StepParts own = mean_of(crew);
    const double of_all = static_cast<double>(crew.plan.ranks) / plan.ranks;
    rate += of_all / own.total.base();
    for (Duration StepParts::*const part : parts_of_step)
      share.*part += Duration{of_all * (own.*part / own.total)};
  }
  for (Duration StepParts::*const part : parts_of_step) share.*part /= rate;
  return share;
}

std::uint64_t TrainingSimulation::period() const {
  const bool settled = saves.empty() || !spec.fold || recovered || periodic;
  return crews.size() == 1 && steady && settled ? cycle_steps_ : 0;
}

Duration TrainingSimulation::warm_up() const {
  const bool saved = !saves.empty();
  const SimTime until = saved ? saves.front().begin : steps().back().end;
  return engine.clock().duration(until) -
         static_cast<double>(saved ? saves.front().records : steps().size()) * mean_of(crews.front()).total;
}

SaveRun TrainingSimulation::save() const {
  if (saves.empty()) return {};
  const bool pair = periodic && saves.size() > 1;
  const Save& since = pair ? saves[saves.size() - 2] : saves.front();
  const SimTime until = pair ? saves.back().begin : SimTime{steps().back().end.ticks + skipped_time.ticks};
  const std::uint64_t count = (pair ? saves.back().after : steps().size() + skipped) - since.after;
  const double times = pair ? 1 : static_cast<double>(saves.size());
  const Duration longer = engine.clock().duration(until - since.begin) -
                          static_cast<double>(count) * mean_of(crews.front()).total;
  return {std::max(Duration{0}, longer / times), engine.clock().duration(written), count};
}

}  // namespace rackcast
