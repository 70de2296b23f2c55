#pragma once
/// Time accounts: how long each actor of a simulated program spent at each operation of its script, in ticks.
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/engine/trace.hpp"

namespace rackcast {

/// Ticks that each actor was at each operation of its script: [actor][operation]. Empty: nobody asked.
using TimeAccounts = std::vector<std::vector<std::int64_t>>;

/// The lane of an actor in a trace.
using LaneOfActor = std::function<TrackId(Tracer&, std::uint32_t)>;

}  // namespace rackcast
