#pragma once
/// Simulates a FlowProgram, folded in space and in time, or in full.
///
/// In space: actors that are alike are one (fold.hpp).
///
/// In time: when the pacer (the first actor with a steady loop) begins another lap, the state of everybody is
/// compared with an earlier one, bit by bit, times taken relative to now. If they are equal but for the laps
/// completed, the program will do the same again until a loop ends; those repetitions
/// are skipped: time and laps move on by a multiple of the period. Brent's algorithm (R. Brent, "An improved
/// Monte Carlo factorization algorithm", BIT 20, 1980) decides which earlier state to keep, so any period is
/// found with one kept state. Nested steady loops are skipped on every level: the steps of an epoch and the
/// epochs of a run.
#include <functional>
#include <memory>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/fluid.hpp"
#include "sim/program/flow_program.hpp"
#include "sim/program/mark_log.hpp"
#include "sim/program/path_log.hpp"
#include "sim/program/time_accounts.hpp"

namespace rackcast {

/// A lap that the pacer has just begun.
struct LapInfo {
  std::uint64_t laps = 0;  ///< of the pacer's outermost steady loop, completed so far
  Duration time{};
  /// Laps of the loop since a state that has come back, if time is folded; 0: none has. The program may go on
  /// like this for ever.
  std::uint64_t cycle = 0;
  const std::vector<std::uint32_t>& cell;  ///< of each actor; empty: each for itself
  const std::vector<MarkLog>& marks;       ///< of each cell
  const TimeAccounts& accounts;            ///< of each cell, up to now, if they are kept
};
/// Answer to a lap.
struct LapDecision {
  std::uint64_t quiet_laps = forever;  ///< so many laps may be skipped
  bool stop = false;                   ///< the run ends here; its result is not partial
};

struct ProgramOptions {
  bool fold_space = true;
  bool fold_time = true;
  Limits limits{};
  Tracer* tracer = nullptr;  ///< sees what is simulated, that is one actor of each cell, and no skipped lap
  LaneOfActor lane{};        ///< of the trace; absent: one by the actor's name
  bool account = false;      ///< keeps ProgramResult::spent()
  bool path = false;         ///< keeps ProgramResult::path; only where nothing is folded
  /// Asked at every lap of the pacer's outermost steady loop that is simulated.
  std::function<LapDecision(const LapInfo&)> at_lap{};
};

class ProgramResult {
 public:
  StopReason reason = StopReason::finished;
  std::uint64_t events = 0;  ///< simulated
  SolvedProblems solved;
  std::uint64_t laps = 0;   ///< of the pacer, simulated
  std::uint64_t skips = 0;  ///< how often laps were skipped
  std::size_t cells = 0;    ///< actors in the folded program
  Duration end{};

  [[nodiscard]] bool partial() const { return reason != StopReason::finished; }
  /// The marks of an actor in order of time.
  [[nodiscard]] std::vector<Mark> marks(std::uint32_t actor) const;

  /// How long an actor was at each operation of its script, skipped laps among it; only if the options keep
  /// accounts. Together they are the time until the actor ended.
  [[nodiscard]] std::vector<Duration> spent(std::uint32_t actor) const;

  std::vector<std::uint32_t> cell;  ///< per actor; empty: each for itself
  std::vector<MarkLog> logs;        ///< per cell
  TimeAccounts accounts;            ///< the same
  /// What led to the end of the actor that ended last: of those that are no daemons, if there are such.
  std::vector<PathStep> path;
};

/// Runs until every actor that is no daemon has ended, or a limit. Throws Error (internal) for a program that
/// is not well formed, and on deadlock, naming who waits for what.
ProgramResult simulate(const FlowProgram& program, const ProgramOptions& options = {});

}  // namespace rackcast
