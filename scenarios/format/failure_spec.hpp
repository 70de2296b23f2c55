#pragma once
/// The scenario's "failures": how often nodes fail, how the job comes back, how often it saves its state.
#include <optional>
#include <string>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

enum class IntervalRule { daly, young, fixed };

/// What is absent comes from the catalogue (models/reliability/failure_rates.hpp).
struct FailureSpec {
  std::optional<Duration> node_mtbf;  ///< between interruptions of a job that uses the node
  std::optional<Duration> detection, restart, repair;
  std::optional<int> spares;  ///< absent: as many as suffice with a probability of 95 %
  IntervalRule rule = IntervalRule::daly;
  std::optional<Duration> interval;          ///< of the rule `fixed`
  std::optional<Duration> checkpoint_stall;  ///< instead of what the data path says
  Where where;
};

/// Throws Error at the place of a bad value.
FailureSpec read_failures(const Json& json);

}  // namespace rackcast
