#pragma once
/// One simulated run: its processes, and the record of its steps. Private to models/step/training*.cpp.
///
///   learning ──steps repeat──► steady ──a save──► saving ──steps are as before──► done
///
/// Without a save, steady is done. While a save is written in the background, steps soon repeat too; as many
/// as fit before the write ends are passed over.
///
/// Steps repeat when a cycle of p steps has come twice in a row, for the least such p
/// (models/step/step_cycle.hpp): mostly 1. What is said of a step is the mean over one whole cycle. Steps
/// that have no cycle within kMostSteps, and crews that never meet, are averaged over the last half of what
/// was simulated, and the run says so (TrainingRun::period).
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "models/step/data_parallel.hpp"
#include "models/step/gradient_buckets.hpp"
#include "models/step/step_cycle.hpp"
#include "models/step/training.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/fluid.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/sync.hpp"
#include "sim/engine/trace.hpp"

namespace rackcast {

inline constexpr std::array parts_of_step = {
    &StepParts::input_wait,    &StepParts::forward,   &StepParts::backward, &StepParts::straggler_wait,
    &StepParts::exchange_wait, &StepParts::optimizer, &StepParts::total,    &StepParts::exchange_busy};

/// GPUs that compute at the same pace.
struct PaceCell {
  double pace = 1;  ///< rate over the normal one
  int ranks = 0;
};

struct StepRecord {
  SimTime begin, batch, started, forward, backward, last_backward, exchanged, updated, end;
  std::size_t queued = 0;  ///< batches ready at the end
  SimTime loader_phase{};  ///< since the loader began its present batch
  Duration exchange_busy{0};
  double unwritten = 0;  ///< bytes of a save on their way at the end

  /// Two steps with the same signature start from the same state, so everything after them repeats, until a
  /// save that is on its way has been written.
  [[nodiscard]] StepSignature signature() const;
};

/// What the run begins with.
enum class StartFrom { nothing, saved_state };

/// Ranks that wait for each other, and what they share (models/step/crews.hpp).
struct RunningCrew {
  RunningCrew(Engine& engine, const DataParallelPlan& plan, const StepTimes& kernels, std::size_t number,
              std::vector<PaceCell> cells, bool fold, int prefetch);

  const CrewPlan& plan;
  std::size_t number;
  std::vector<PaceCell> cells;
  int processes;  ///< GPUs that are simulated: one of each cell, or every one
  Queue<int> batches;
  Queue<std::size_t> ready, reduced;
  std::vector<int> produced;                ///< of each bucket: processes that have it in this step
  Barrier together;                         ///< of the processes
  std::vector<std::vector<Usage>> compute;  ///< the GPU of each cell
  std::vector<StepRecord> steps;
  SimTime loader_began{};
  SimTime last_backward{};  ///< end of the latest back-propagation
  Duration exchange_busy{0};
};

/// Everything the processes of one simulated run share.
struct TrainingSimulation {
  TrainingSimulation(const Cluster& cluster, const TrainingSpec& with, const DataParallelPlan& of,
                     const StepTimes& per_step, StartFrom from, Tracer* tracer);

  /// Until nothing new can come, or a limit of the spec.
  RunSummary run();

  /// Of the steady step; the mean over the last half of the steps if none repeated. Of several crews, the
  /// time in which they take as many samples together as a step of all has, and what their GPUs do in it on
  /// average.
  [[nodiscard]] StepParts parts() const;
  /// Steps of a cycle of the steady state; 0 if none was found.
  [[nodiscard]] std::uint64_t period() const;
  /// Time before the first save, or in all, less that of the steps in it.
  [[nodiscard]] Duration warm_up() const;
  /// Mean over the saves; nothing if there was none.
  [[nodiscard]] SaveRun save() const;

  /// Of the first crew.
  [[nodiscard]] std::vector<StepRecord>& steps() { return crews.front().steps; }
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return crews.front().steps; }

  // For the processes.
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool save_due() const;
  [[nodiscard]] bool writing() const { return background && network.in_flight(*background); }
  void begin_save();
  void end_write();
  void end_step(RunningCrew& crew, StepRecord step, Duration busy_before);
  /// Exchanges that may begin now that one more process has this bucket: those of it, once all have it.
  [[nodiscard]] std::pair<std::size_t, std::size_t> produce(RunningCrew& crew, std::size_t bucket);
  /// Collectives run kernels of their own beside those of the network.
  void occupy(int more);
  /// Kernels of so much time at the normal pace. GPUs beside the first of their cell, where each is
  /// simulated, follow it in time: nothing but the pace of their cell bounds them.
  [[nodiscard]] Activity kernels_of(const RunningCrew& crew, std::size_t cell, bool first,
                                    Duration time) const;
  /// A crew's batch on its way to the GPUs.
  [[nodiscard]] Activity batch(const RunningCrew& crew) const;
  /// The state of training on its way, in the pattern of the plan.
  [[nodiscard]] Activity state(int pattern, std::string_view name) const;
  /// On the rows of the first GPU.
  void trace(const char* name, SimTime from);
  /// On the row of the exchange of table vectors.
  void trace_vectors(const char* name, SimTime from);

  struct Save {
    std::size_t records = 0;  ///< before it
    std::uint64_t after = 0;  ///< steps before it, those passed over too
    SimTime begin{};          ///< with the time of those
  };

  const DataParallelPlan& plan;
  const StepTimes& kernels;
  const TrainingSpec& spec;
  StartFrom from;
  Engine engine;
  Network network;
  std::deque<RunningCrew> crews;  ///< that of the first GPU first: it saves, and its steps are looked at
  Gate begun;                     ///< the state to begin with is there
  std::vector<std::vector<Usage>> uses;  ///< of each pattern
  int exchanging = 0;                    ///< collectives on the GPU
  std::optional<std::size_t> steady;     ///< the last step of the second cycle
  std::vector<Save> saves;
  std::optional<ActivityId> background;  ///< the latest save on its way while training goes on
  SimTime written{};                     ///< from the begin of the latest save to the end of its write
  std::uint64_t skipped = 0;             ///< steps passed over
  SimTime skipped_time{};
  bool recovered = false;  ///< steps are as they were before the save
  bool periodic = false;   ///< or the latest two saves began in the same state
  TrackId gpu_track, exchange_track, vectors_track, loader_track, writer_track;

 private:
  [[nodiscard]] std::size_t most_steps() const;
  /// Simulated so many that no cycle is looked for any more.
  [[nodiscard]] bool enough() const;
  [[nodiscard]] SimTime now() const { return {engine.now().ticks + skipped_time.ticks}; }
  [[nodiscard]] std::uint64_t since_save() const { return steps().size() + skipped - saves.back().after; }
  [[nodiscard]] StepParts mean_of(const RunningCrew& crew) const;
  [[nodiscard]] StepParts mean(const std::vector<StepRecord>& records, std::size_t from,
                               std::size_t until) const;
  void look_for_repetition();
  void pass_over_writing(std::size_t period);

  StepCycle cycle_;              ///< of the steps so far
  std::size_t cycle_steps_ = 0;  ///< in the steady state
};

/// Starts the processes of the run.
void spawn_processes(TrainingSimulation& run);

}  // namespace rackcast
