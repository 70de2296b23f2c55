#pragma once
/// One simulated run: its processes, and the record of its steps. Private to models/training*.cpp.
///
///   learning ──a step repeats──► steady ──a save──► saving ──the step is as before──► done
///
/// Without a save, steady is done. While a save is written in the background, steps soon repeat too; as many
/// as fit before the write ends are passed over.
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/data_parallel.hpp"
#include "models/gradient_buckets.hpp"
#include "models/training.hpp"
#include "sim/engine.hpp"
#include "sim/fluid.hpp"
#include "sim/queue.hpp"
#include "sim/sync.hpp"
#include "sim/trace.hpp"

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
  SimTime begin, batch, started, forward, backward, last_backward, exchanged, end;
  std::size_t queued = 0;  ///< batches ready at the end
  SimTime loader_phase{};  ///< since the loader began its present batch
  Duration exchange_busy{0};
  double unwritten = 0;  ///< bytes of a save on their way at the end

  /// Two steps with the same signature start from the same state, so everything after them repeats, until a
  /// save that is on its way has been written.
  [[nodiscard]] std::array<std::int64_t, 9> signature() const;
};

/// What the run begins with.
enum class StartFrom { nothing, saved_state };

/// Everything the processes of one simulated run share.
struct TrainingSimulation {
  TrainingSimulation(const Cluster& cluster, const TrainingSpec& with, const DataParallelPlan& of,
                     const StepTimes& per_step, StartFrom from, Tracer* tracer);

  /// Until nothing new can come, or a limit of the spec.
  RunSummary run();

  /// Of the steady step; the mean over the last half of the steps if none repeated.
  [[nodiscard]] StepParts parts() const;
  /// Time before the first save, or in all, less that of the steps in it.
  [[nodiscard]] Duration warm_up() const;
  /// Mean over the saves; nothing if there was none.
  [[nodiscard]] SaveRun save() const;

  // For the processes.
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool save_due() const;
  [[nodiscard]] bool writing() const { return background && network.in_flight(*background); }
  void begin_save();
  void end_write();
  void end_step(StepRecord step, Duration busy_before);
  /// Exchanges that may begin now that one more process has this bucket: those of it, once all have it.
  [[nodiscard]] std::pair<std::size_t, std::size_t> produce(std::size_t bucket);
  /// Collectives run kernels of their own beside those of the network.
  void occupy(int more);
  /// Kernels of so much time at the normal pace. GPUs beside the first of their cell, where each is
  /// simulated, follow it in time: nothing but the pace of their cell bounds them.
  [[nodiscard]] Activity kernels_of(std::size_t cell, bool first, Duration time) const;
  /// A global batch on its way to the GPUs.
  [[nodiscard]] Activity batch() const;
  /// The state of training on its way, in the pattern of the plan.
  [[nodiscard]] Activity state(int pattern, std::string_view name) const;
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
  std::vector<PaceCell> cells;
  Engine engine;
  Network network;
  Queue<int> batches;
  Queue<std::size_t> ready, reduced;
  int processes;                            ///< GPUs that are simulated: one of each cell, or every one
  std::vector<int> produced;                ///< of each bucket: processes that have it in this step
  Barrier together;                         ///< of the processes
  Gate begun;                               ///< the state to begin with is there
  std::vector<std::vector<Usage>> uses;     ///< of each pattern
  std::vector<std::vector<Usage>> compute;  ///< the GPU of each cell
  int exchanging = 0;                       ///< collectives on the GPU
  std::vector<StepRecord> steps;
  SimTime loader_began{};
  SimTime last_backward{};  ///< end of the latest back-propagation
  Duration exchange_busy{0};
  std::optional<std::size_t> steady;  ///< the step that repeated the one before
  std::vector<Save> saves;
  std::optional<ActivityId> background;  ///< the latest save on its way while training goes on
  SimTime written{};                     ///< from the begin of the latest save to the end of its write
  std::uint64_t skipped = 0;             ///< steps passed over
  SimTime skipped_time{};
  bool recovered = false;  ///< the step is as it was before the save
  bool periodic = false;   ///< or the latest two saves began in the same state
  TrackId gpu_track, exchange_track, vectors_track, loader_track, writer_track;

 private:
  [[nodiscard]] std::size_t most_steps() const;
  [[nodiscard]] SimTime now() const { return {engine.now().ticks + skipped_time.ticks}; }
  [[nodiscard]] std::uint64_t since_save() const { return steps.size() + skipped - saves.back().after; }
  void look_for_repetition();
  void pass_over_writing();
};

/// Starts the processes of the run.
void spawn_processes(TrainingSimulation& run);

}  // namespace rackcast
