#pragma once
/// Runs the graph of data-parallel training until its steps repeat, and what a save does to them.
///
///   1. Steps alone. They repeat when the whole state of the run comes back (sim/program/simulation.hpp): a
///      cycle of p steps, mostly one. What is said of a step is the mean over one whole cycle. Steps that
///      have no cycle within most_steps, and crews that never meet, are averaged over the last half.
///   2. The same steps and then a save, until the state of the run comes back again. What that took longer
///      than as many steps is the cost of the save. Saves that follow each other before that repeat with a
///      cycle of their own.
///
/// Without folding both run for all steps of the training, and nothing is passed over.
#include <array>
#include <optional>

#include "models/step/data_parallel_graph.hpp"

namespace rackcast {

/// The parts that a data-parallel step has.
inline constexpr std::array parts_of_step = {
    &StepParts::input_wait,     &StepParts::forward,       &StepParts::backward,
    &StepParts::straggler_wait, &StepParts::exchange_wait, &StepParts::table_exchange,
    &StepParts::optimizer,      &StepParts::total,         &StepParts::exchange_busy};

/// Steps of the first crew, without saves.
struct LearnedSteps {
  StepParts parts;          ///< mean of a step; of several crews, what their GPUs do on average
  std::uint64_t steps = 0;  ///< simulated
  std::uint64_t cycle = 0;  ///< steps that repeat; 0: none were found
  Duration last{0};         ///< time of the last of them
  Duration warm_up{0};      ///< time of all less that of as many steps
  std::uint64_t events = 0;
  bool partial = false;
};

/// What a run is of.
struct TrainingRunInputs {
  const Cluster& cluster;
  const TrainingSpec& spec;
  const DataParallelPlan& plan;
  const StepTimes& kernels;
};

/// Throws LimitReached if a limit of the spec ends it before the first step is over.
LearnedSteps learn_steps(const TrainingRunInputs& run, StartFrom from);

struct LearnedSave {
  SaveRun save;
  std::uint64_t before = 0, after = 0;  ///< steps simulated, before the first save and since
  bool settled = false;                 ///< steps or saves repeat
  std::uint64_t events = 0;
  bool partial = false;
};

LearnedSave learn_save(const TrainingRunInputs& run, const LearnedSteps& alone);

/// Draws all streams: the steps, and with `save` what follows from one.
void trace_training(const TrainingRunInputs& run, const LearnedSteps& alone,
                    const std::optional<LearnedSave>& save, Tracer& tracer);

}  // namespace rackcast
