#pragma once
/// Which resources of a program can never bind: even if every actor that ever uses one did so at once and as
/// fast as the other resources let it, it would not be full.
///
/// Such a constraint is implied by the others, so leaving it out changes no rate; but it would tie flows
/// together that do not influence each other. The typical case is a non-blocking fabric above its ports. A
/// resource r with the capacity C is implied if either
///
///     sum over actors of the most that one flow of the actor can put on it  <=  C,
///
/// each flow bounded by its cap and by its other resources; or, where flows share ports, if for one group of
/// resources S (the ports) and a factor f, every flow loads r at most f times as much as S, and
///
///     f * sum of C_s over the s in S on the way of flows through r  <=  C.
///
/// Resources are taken away group by group (a group and capacity at a time), the most shared first, each
/// time bounded only by what is still there, so that two constraints never vouch for each other.
#include <vector>

#include "sim/program/flow_program.hpp"

namespace rackcast {

/// Per resource.
std::vector<bool> redundant_resources(const FlowProgram& program);

}  // namespace rackcast
