#pragma once
#include "reports/result.hpp"
#include "sim/json_reader.hpp"

namespace rackcast::reports {

/// The part of a result document about failures and goodput.
Reliability read_reliability(const Json& json);

}  // namespace rackcast::reports
