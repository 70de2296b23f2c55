#include "models/step/training_laps.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "models/graph/graph_run.hpp"

namespace rackcast {
namespace {

constexpr std::uint64_t most_steps = 400;  ///< simulated before the mean stands in for what does not repeat
constexpr std::uint64_t of_each_crew = 4;  ///< of which every crew has at least so many
constexpr std::size_t least_settled = 16;  ///< steps of a crew whose mean may have settled
constexpr double settled_within = 1e-3;    ///< the mean of a quarter of the steps and that of a half
constexpr std::uint64_t least_saves = 8;   ///< simulated before their mean stands in for a cycle
constexpr double same_time = 1e-11;        ///< s; differences of times of whole picoseconds
constexpr std::uint64_t least_traced = 3;  ///< steps: the first fills queues, the last one is cut off

StepParts difference(const StepParts& until, const StepParts& since) {
  StepParts out;
  for (Duration StepParts::*const part : parts_of_step) out.*part = until.*part - since.*part;
  return out;
}

StepParts scaled(StepParts parts, double factor) {
  for (Duration StepParts::*const part : parts_of_step) parts.*part *= factor;
  return parts;
}

/// Steps that are simulated if none repeat.
std::uint64_t steps_of(const TrainingSpec& spec) {
  return !spec.fold && spec.steps > 0 ? spec.steps : most_steps;
}

/// Of each crew, at each step of the first.
struct CrewLog {
  std::vector<StepParts> parts;  ///< up to then
  std::uint64_t steps = 0;
};

/// The end of so many steps, of which the mean is taken if no cycle is known.
std::size_t last_half(std::size_t steps) {
  return std::min(steps, steps / 2 + 1);
}

/// When the first step began, and when each ended.
std::vector<SimTime> step_ends(std::span<const Mark> marks) {
  std::vector<SimTime> ends{SimTime{}};
  for (const Mark& mark : marks)
    if (mark.label == step_ended) ends.push_back(mark.time);
  return ends;
}

class Learning {
 public:
  Learning(const TrainingRunInputs& run, StartFrom from)
      : run_{run},
        laps_{.from = from},
        graph_{data_parallel_graph(run.cluster, run.spec, run.plan, run.kernels, laps_)} {
    crews_.assign(graph_.crews.size(), CrewLog{{StepParts{}}, 0});
  }

  LearnedSteps learn() {
    GraphRunOptions options;
    options.limits = run_.spec.limits;
    options.may_be_partial = true;
    options.fold = crews_.size() == 1;  // several begin no step together
    options.at_lap = [&](const GraphLap& lap) {
      return look(lap);
    };
    const GraphRun done = run_graph(graph_.graph, options);
    if (times_.size() == 1) throw cut_short(done.reason);
    LearnedSteps out;
    out.steps = times_.size() - 1;
    out.cycle = cycle_;
    out.parts = crews_.size() == 1 ? mean_step() : mean_of_crews(done);
    const std::size_t n = cycle_ > 0 ? cycle_end_ : times_.size() - 1;
    out.last = times_[n] - times_[n - 1];
    const double ended = static_cast<double>(n);
    out.warm_up = times_[n] - ended * (crews_.size() == 1 ? out.parts.total : crew_step(done, 0));
    out.events = done.events;
    out.partial = done.partial();
    return out;
  }

 private:
  LapDecision look(const GraphLap& lap) {
    times_.push_back(lap.info.time);
    for (std::size_t c = 0; c < crews_.size(); ++c) {
      StepParts parts = lap.parts(graph_.crews[c].kernels);
      for (const std::uint32_t stream : graph_.crews[c].exchanges)
        parts.exchange_busy += lap.parts(stream).exchange_busy;
      crews_[c].parts.push_back(parts);
      crews_[c].steps = lap.marks(graph_.crews[c].kernels);
    }
    if (cycle_ == 0 && lap.info.cycle > 0) cycle_ = lap.info.cycle, cycle_end_ = times_.size() - 1;
    return {.quiet_laps = 0, .stop = is_enough() || (run_.spec.fold && have_settled(lap))};
  }

  /// Crews repeat no state, but their pace settles. Looked at when another eighth of the steps has come.
  [[nodiscard]] bool have_settled(const GraphLap& lap) {
    const std::size_t steps = times_.size() - 1;
    if (crews_.size() == 1 || steps < look_again_) return false;
    look_again_ = steps + steps / 8;
    return std::ranges::all_of(graph_.crews, [&](const auto& crew) {
      std::vector<Mark> marks;
      lap.info.marks[crew.kernels].expand(marks);
      const std::vector<SimTime> ends = step_ends(marks);
      const std::size_t n = ends.size() - 1, half = last_half(n);
      if (n < least_settled) return false;
      const auto mean_of_last = [&](std::size_t count) {
        return static_cast<double>((ends[n] - ends[n - count]).ticks) / static_cast<double>(count);
      };
      return std::abs(mean_of_last(half / 2) / mean_of_last(half) - 1) < settled_within;
    });
  }

  [[nodiscard]] bool is_enough() const {
    const std::uint64_t most = steps_of(run_.spec);
    if (run_.spec.fold && cycle_ > 0) return true;
    if (!run_.spec.fold) {
      double samples = 0;
      for (std::size_t c = 0; c < crews_.size(); ++c)
        samples += static_cast<double>(crews_[c].steps) * run_.plan.crews[c].ranks;
      return samples >= static_cast<double>(most) * run_.plan.ranks;
    }
    if (times_.size() - 1 < most) return false;
    return std::ranges::all_of(
        crews_, [&](const CrewLog& crew) { return crew.steps >= std::min(most, of_each_crew); });
  }

  [[nodiscard]] StepParts mean_step() const {
    const std::vector<StepParts>& parts = crews_.front().parts;
    const std::size_t end = cycle_ > 0 ? cycle_end_ : parts.size() - 1;
    const std::size_t count = cycle_ > 0 ? static_cast<std::size_t>(cycle_) : last_half(end);
    return scaled(difference(parts[end], parts[end - count]), 1 / static_cast<double>(count));
  }

  /// Mean time of the later half of a crew's steps.
  [[nodiscard]] Duration crew_step(const GraphRun& done, std::size_t crew) const {
    const std::vector<SimTime> ends = step_ends(done.marks[graph_.crews[crew].kernels]);
    const std::size_t count = last_half(ends.size() - 1);
    if (count == 0) return Duration{0};  // a limit came first
    const Clock clock{TickLength::picosecond};
    return clock.duration(ends.back() - ends[ends.size() - 1 - count]) / static_cast<double>(count);
  }

  /// The time in which crews take as many samples together as a step of all has, and what their GPUs do in it
  /// on average.
  [[nodiscard]] StepParts mean_of_crews(const GraphRun& done) const {
    StepParts share;  // of the time of a GPU
    double rate = 0;  // steps of all per second
    for (std::size_t c = 0; c < crews_.size(); ++c) {
      const Duration step = crew_step(done, c);
      const std::vector<StepParts>& parts = crews_[c].parts;
      const StepParts own = difference(parts.back(), parts[parts.size() - 1 - last_half(parts.size() - 1)]);
      if (!(step > Duration{0}) || !(own.total > Duration{0})) continue;
      const double of_all = static_cast<double>(run_.plan.crews[c].ranks) / run_.plan.ranks;
      rate += of_all / step.base();
      for (Duration StepParts::*const part : parts_of_step)
        share.*part += Duration{of_all * (own.*part / own.total)};
    }
    return scaled(share, 1 / rate);
  }

  const TrainingRunInputs& run_;
  TrainingLaps laps_;
  DataParallelGraph graph_;
  std::vector<CrewLog> crews_;
  std::vector<Duration> times_{Duration{0}};  ///< of the ends of steps
  std::uint64_t cycle_ = 0;
  std::size_t cycle_end_ = 0;
  std::size_t look_again_ = 2 * least_settled;  ///< steps of the first crew
};

/// Saves in the midst of training.
class Saving {
 public:
  Saving(const TrainingRunInputs& run, const LearnedSteps& alone) : run_{run}, alone_{alone} { plan_laps(); }

  LearnedSave learn() {
    if (laps_.regular == 0 && !laps_.last_save) return {};  // the training is too short for a save
    const DataParallelGraph made =
        data_parallel_graph(run_.cluster, run_.spec, run_.plan, run_.kernels, laps_);
    GraphRunOptions options;
    options.limits = run_.spec.limits;
    options.may_be_partial = true;
    // Crews that never meet repeat nothing.
    options.fold = run_.spec.fold && run_.plan.crews.size() == 1;
    if (run_.spec.fold)
      options.at_lap = [&](const GraphLap& lap) {
        return look(lap);
      };
    const GraphRun done = run_graph(made.graph, options);
    return result(done, made);
  }

 private:
  void plan_laps() {
    const std::uint64_t every = run_.spec.save.every, all = steps_of(run_.spec);
    if (run_.spec.fold) {
      laps_.before = alone_.steps;
      laps_.every = every;
      laps_.regular = every > 0 ? endless : 0;
      laps_.last_save = every == 0;
      laps_.after = endless;
      return;
    }
    laps_.before = every > 0 ? every : (all + 1) / 2;  // one, half way
    const std::uint64_t saves = every > 0 ? (std::max<std::uint64_t>(1, all) - 1) / every : 1;
    laps_.every = every;
    laps_.last_save = saves > 0;
    laps_.regular = saves > 0 ? saves - 1 : 0;
    laps_.after = all - std::min(all, laps_.before + laps_.regular * every);
  }

  /// Folded: laps of the steps behind a save, or of regular saves.
  LapDecision look(const GraphLap& lap) {
    if (++seen_ < laps_.before) return {.quiet_laps = 0, .stop = false};
    laps_done_ = lap.info.laps;
    times_.push_back(lap.info.time);
    const bool regular = laps_.regular > 0;
    const std::uint64_t most = regular ? std::max(least_saves, most_steps / laps_.every) : most_steps;
    if (lap.info.cycle > 0) cycle_ = lap.info.cycle;
    return {.quiet_laps = forever, .stop = cycle_ > 0 || times_.size() >= most};
  }

  [[nodiscard]] LearnedSave result(const GraphRun& done, const DataParallelGraph& made) const {
    LearnedSave out;
    out.events = done.events;
    out.partial = done.partial();
    const Clock clock{TickLength::picosecond};
    std::vector<SimTime> began, written;
    std::uint64_t steps = 0;
    for (const Mark& mark : done.marks[made.crews.front().kernels]) {
      if (mark.label == save_began) began.push_back(mark.time);
      if (mark.label == state_written) written.push_back(mark.time);
      if (mark.label == step_ended) ++steps;
    }
    if (made.saver != made.crews.front().kernels)
      for (const Mark& mark : done.marks[made.saver]) written.push_back(mark.time);
    out.before = std::min(steps, laps_.before);
    out.after = steps - out.before;
    if (began.empty()) return out;  // a limit came first
    if (!written.empty()) out.save.safe = clock.duration(written.front() - began.front());
    const Duration step = alone_.parts.total;
    const Duration since = clock.duration(began.front());
    if (!run_.spec.fold) {
      set_stall(out.save, (done.total - since) - static_cast<double>(out.after) * step, began.size());
      out.save.steps = out.after;
      out.settled = true;
    } else if (laps_.regular > 0) {
      add_regular(out, since);
    } else {
      add_alone(out, since);
    }
    return out;
  }

  static void set_stall(SaveRun& save, Duration longer, std::uint64_t saves) {
    // Times of the simulation are whole picoseconds; what is less is a rounding error.
    constexpr Duration tick{1e-12};
    save.stall =
        longer < tick ? Duration{0} : longer / static_cast<double>(std::max<std::uint64_t>(1, saves));
  }

  void add_alone(LearnedSave& out, Duration since) const {
    if (times_.empty()) return;
    std::size_t end = times_.size();  // laps whose ends are known
    std::uint64_t laps = laps_done_;
    // Of a cycle of several steps, the one that the save began behind.
    const auto step_before = [&](std::size_t i) {
      return times_[i - 1] - (i > 1 ? times_[i - 2] : since);
    };
    for (std::size_t back = 0; cycle_ > 1 && back < cycle_ && end - back > 1; ++back) {
      if (std::abs((step_before(end - back) - alone_.last).base()) > same_time) continue;
      end -= back;
      laps -= back;
      break;
    }
    out.settled = cycle_ > 0;
    out.save.steps = laps;
    set_stall(out.save, (times_[end - 1] - since) - static_cast<double>(laps) * alone_.parts.total, 1);
  }

  void add_regular(LearnedSave& out, Duration since) const {
    if (times_.empty()) return;
    out.settled = cycle_ > 0;
    const std::uint64_t saves = cycle_ > 0 ? cycle_ : laps_done_;
    out.save.steps = saves * laps_.every;
    const std::size_t n = times_.size();
    const Duration from = cycle_ > 0 && n > cycle_ ? times_[n - 1 - static_cast<std::size_t>(cycle_)] : since;
    set_stall(out.save, (times_[n - 1] - from) - static_cast<double>(out.save.steps) * alone_.parts.total,
              saves);
  }

  const TrainingRunInputs& run_;
  const LearnedSteps& alone_;
  TrainingLaps laps_;
  std::uint64_t seen_ = 0;
  std::uint64_t laps_done_ = 0;  ///< since the first save
  std::vector<Duration> times_;  ///< of the ends of those that were simulated
  std::uint64_t cycle_ = 0;
};

}  // namespace

LearnedSteps learn_steps(const TrainingRunInputs& run, StartFrom from) {
  return Learning{run, from}.learn();
}

LearnedSave learn_save(const TrainingRunInputs& run, const LearnedSteps& alone) {
  return Saving{run, alone}.learn();
}

void trace_training(const TrainingRunInputs& run, const LearnedSteps& alone,
                    const std::optional<LearnedSave>& save, Tracer& tracer) {
  TrainingLaps laps;
  laps.drawn = true;
  laps.before = std::max(least_traced, save ? save->before : alone.steps);
  laps.last_save = save && save->before > 0;
  laps.after = save ? std::max<std::uint64_t>(1, save->after) : 0;
  const DataParallelGraph made = data_parallel_graph(run.cluster, run.spec, run.plan, run.kernels, laps);
  run_graph(made.graph, {.limits = run.spec.limits, .may_be_partial = true, .tracer = &tracer});
}

}  // namespace rackcast
