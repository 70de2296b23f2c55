#pragma once
/// Redundant resources: resources of a program that can never bind. Even if every actor that uses such a
/// resource did so at once, as fast as the other resources let it, the resource would not be full.
///
/// Its constraint is implied by the others, so leaving it out changes no rate. Kept, it would tie flows
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

/// For each resource, whether it is redundant.
std::vector<bool> redundant_resources(const FlowProgram& program);

}  // namespace rackcast
