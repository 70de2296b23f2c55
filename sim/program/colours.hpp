#pragma once
/// Colours of the actors and resources of a program: small numbers, equal for two actors or resources that
/// are alike by themselves (script, durations, flows, capacity), apart from their neighbours.
#include <cstdint>
#include <vector>

#include "sim/program/flow_program.hpp"

namespace rackcast {

/// The colours of all actors, then of all resources. Values are compared bit by bit. An actor and a resource
/// never have the same colour.
std::vector<std::uint32_t> colours_of(const FlowProgram& program);

}  // namespace rackcast
