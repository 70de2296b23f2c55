#include "models/collectives/timed_exchange.hpp"

#include <algorithm>

#include "models/collectives/comm_model.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {

TimedExchange timed_exchange(CommModel& comm, Collective operation, Bytes payload) {
  TimedExchange out;
  out.operation = operation;
  out.payload = payload;
  out.time = comm.time(operation, payload);
  if (!(out.time > Duration{0})) return out;
  const CollectivePlan& plan = comm.plan(operation, payload);
  Duration inside{0}, between{0};
  for (const CollectiveStage& stage : plan.stages) {
    Duration most_inside{0}, most_between{0};
    stage.pattern->each([&](const LinkLoad& load, int) {
      const Duration busy = load.bytes * stage.scale * payload / comm.rates().of(load.link);
      Duration& most = comm.rates().is_between_nodes(load.link) ? most_between : most_inside;
      most = std::max(most, busy);
    });
    inside += most_inside;
    between += most_between;
  }
  out.links = {std::min(1.0, inside / out.time), std::min(1.0, between / out.time)};
  return out;
}

}  // namespace rackcast
