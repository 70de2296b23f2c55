#pragma once
/// What each actor and resource of a program is by itself, as small numbers: equal means alike.
#include <cstdint>
#include <vector>

#include "sim/program/flow_program.hpp"

namespace rackcast {

/// Actors first, then resources. Compared bit by bit; never equal for an actor and a resource.
std::vector<std::uint32_t> colours_of(const FlowProgram& program);

}  // namespace rackcast
