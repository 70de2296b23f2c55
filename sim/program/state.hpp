#pragma once
/// Where a running FlowProgram stands: enough to go on with it to the last bit, in another engine or further
/// along in a loop. All times are relative to `now`.
#include <array>
#include <cstdint>
#include <vector>

#include "sim/program/flow_program.hpp"

namespace rackcast {

enum class Blocked : std::uint8_t { no, asleep, flowing, waiting, ended };

struct ActorState {
  std::uint32_t pc = 0;  ///< the operation that it is at
  Blocked blocked = Blocked::no;
  std::array<std::uint32_t, most_channels> permits{};
  SimTime until{};                                      ///< asleep: the end of it
  Flight flight{};                                      ///< flowing
  std::array<std::uint64_t, most_nested_loops> laps{};  ///< completed, per depth; 0 outside the loop

  /// Everything but the laps.
  [[nodiscard]] bool same_position(const ActorState& o) const {
    return pc == o.pc && blocked == o.blocked && permits == o.permits && until == o.until &&
           flight == o.flight;
  }
};

struct ProgramState {
  SimTime now{};
  std::vector<ActorState> actors;
};

ProgramState initial_state(const FlowProgram& program);

}  // namespace rackcast
