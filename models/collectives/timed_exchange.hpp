#pragma once
/// How long a collective takes alone, and how much of the links it takes meanwhile.
#include "models/collectives/collective.hpp"

namespace rackcast {

class CommModel;

/// Of the busiest link in nodes and of the busiest one between them, 0 to 1: the bytes over it by its rate,
/// over the time of the whole operation.
struct LinkShares {
  double inside = 0, between = 0;
};

/// An exchange among ranks.
struct TimedExchange {
  Duration time{0};  ///< if nobody else is on the links
  LinkShares links = {};
};

/// The cheapest way that the library has for this payload.
TimedExchange timed_exchange(CommModel& comm, Collective operation, Bytes payload);

}  // namespace rackcast
