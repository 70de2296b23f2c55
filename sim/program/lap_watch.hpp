#pragma once
/// LapWatch: compares the states of a running program at the laps of one loop, and finds repetitions.
/// Example: after step 7 every actor stands as after step 5, so the period is two steps.
#include <optional>
#include <vector>

#include "sim/program/mark_log.hpp"
#include "sim/program/segment.hpp"

namespace rackcast {

/// A state that has come back. Since the kept state every actor has completed `laps` laps of one of its
/// loops; otherwise nothing differs, except that flows which last longer than laps have less work left.
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

/// The work of a flow that is left now; times of the flight are relative to now.
double work_left(const Flight& flight, const Clock& clock);
/// Subtracts `work` from the work that is left, at the present rate of the flow.
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
