#pragma once
/// Folds a FlowProgram: actors that will do the same at the same times become one, and so do resources that
/// will carry the same load. The theorem that makes it exact is at the top of partition.hpp.
///
/// The initial colours are all that an actor is by itself (script, durations, work, weights, caps, latencies,
/// present state) and, for a resource, its capacity of the moment. A folded program is a FlowProgram again:
/// folding it once more composes, which is how cells merge again after a disturbance has passed.
#include "sim/program/flow_program.hpp"
#include "sim/program/state.hpp"

namespace rackcast {

struct FoldedProgram {
  FlowProgram program;  ///< one actor or resource per cell; no changes
  ProgramState state;
  std::vector<std::uint32_t> actor_cell, resource_cell;  ///< of what was folded
};

/// `state` is that of `program`; capacities are read from it.
FoldedProgram fold(const FlowProgram& program, const ProgramState& state);

/// The state of the folded program for every actor and resource of what was folded.
ProgramState unfold(const ProgramState& state, const std::vector<std::uint32_t>& actor_cell,
                    const std::vector<std::uint32_t>& resource_cell);

}  // namespace rackcast
