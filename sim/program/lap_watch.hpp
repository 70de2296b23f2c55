#pragma once
/// Finds repetitions of a running program at the laps of one loop.
#include <optional>
#include <vector>

#include "sim/program/mark_log.hpp"
#include "sim/program/segment.hpp"

namespace rackcast {

/// A state that has come back: since the kept one, every actor has completed so many laps of one of its loops
/// and is otherwise where it was. Of a flow that outlasts laps, less is left.
struct Repetition {
  SimTime period{};
  std::uint64_t times = 0;  ///< that the same can happen again before some loop ends
  struct Progress {
    std::uint32_t actor, depth;
    std::uint64_t laps;
  };
  std::vector<Progress> progress;
  struct Moved {
    std::uint32_t actor;
    double work;  ///< of its flow that outlasts laps, in one period
  };
  std::vector<Moved> moved;
  std::vector<std::size_t> marks_before;  ///< per actor: items of its log when the period began
  TimeAccounts accounts_before;           ///< the accounts then
};

/// What is left of a flow now; times of the flight are relative to now.
double work_left(const Flight& flight, const Clock& clock);
/// Takes `work` off what is left, at the flow's present rate.
void move_on(Flight& flight, double work, const Clock& clock);

class LapWatch {
 public:
  /// The state at this lap; keeps it if Brent's algorithm wants it kept.
  std::optional<Repetition> see(const FlowProgram& program, const ProgramSegment& segment,
                                const std::vector<MarkLog>& marks, const TimeAccounts& accounts);
  /// What was kept is not what led here.
  void forget() {
    kept_ = {};
    age_ = 0;
    reach_ = 1;
  }

 private:
  [[nodiscard]] std::optional<Repetition> compare(const FlowProgram& program,
                                                  const ProgramSegment& segment) const;

  ProgramState kept_;
  std::vector<std::size_t> marks_;
  TimeAccounts accounts_;
  std::uint64_t age_ = 0, reach_ = 1;
};

}  // namespace rackcast
