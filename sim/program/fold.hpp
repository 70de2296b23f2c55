#pragma once
/// Folds a FlowProgram: actors that will do the same at the same times become one, and so do resources that
/// will carry the same load. The theorem that makes it exact is at the top of partition.hpp.
///
/// The initial colours are all that an actor is by itself (script, durations, work, weights, caps, latencies)
/// and, for a resource, its capacity.
#include "sim/program/flow_program.hpp"

namespace rackcast {

struct FoldedProgram {
  FlowProgram program;                    ///< one actor or resource per cell
  std::vector<std::uint32_t> actor_cell;  ///< of each actor that was folded
};

FoldedProgram fold(const FlowProgram& program);

}  // namespace rackcast
