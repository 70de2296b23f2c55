#pragma once
/// Which operation let which go on: the chain of operations that set the time of a simulated program, its
/// critical path.
///
/// Every operation that took time is written down with the one before it: of the same actor, or after a wait
/// that of the actor whose signal ended the wait. The walk from an actor's last operation back along these is
/// its critical path (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959). It has no
/// gap: each operation on it begins when the one before it ends. Where two let go at the same instant, the
/// one that is simulated last counts, or the actor's own.
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/engine/time.hpp"

namespace rackcast {

struct PathStep {
  std::uint32_t actor = 0, operation = 0;  ///< a sleep or a flow
  SimTime start{}, end{};
};

class PathLog {
 public:
  void begin(std::size_t actors, SimTime now);
  /// A sleep or flow of the actor is over.
  void ended(std::uint32_t actor, std::uint32_t operation, SimTime now);
  /// A wait of the actor is over, by a signal of `by`.
  void released(std::uint32_t actor, std::uint32_t by);

  /// Of the operations that led to the last one of the actor, in order of time.
  [[nodiscard]] std::vector<PathStep> behind(std::uint32_t actor) const;
  /// When the last operation of the actor ended.
  [[nodiscard]] SimTime end_of(std::uint32_t actor) const;

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Entry {
    PathStep step;
    std::uint32_t before = none;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> last_;  ///< of each actor: the entry that its next operation follows
  SimTime begin_{};
};

}  // namespace rackcast
