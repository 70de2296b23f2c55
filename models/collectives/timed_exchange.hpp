#pragma once
/// The time of a collective that runs alone, and the share of the links that it uses during this time.
#include "models/collectives/collective.hpp"

namespace rackcast {

class CommModel;

/// Use of the busiest link inside nodes and of the busiest link between nodes, 0 to 1:   bytes over the link
/// / (rate of the link x time of the whole operation).
struct LinkShares {
  double inside = 0, between = 0;
};

/// An exchange among ranks.
struct TimedExchange {
  Duration time{0};  ///< if nobody else is on the links
  LinkShares links = {};
  Collective operation = Collective::all_reduce;
  Bytes payload{0};
};

/// The exchange by the algorithm and protocol that the library chooses for this payload.
TimedExchange timed_exchange(CommModel& comm, Collective operation, Bytes payload);

}  // namespace rackcast
