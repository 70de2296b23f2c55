#pragma once
#include "reports/result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

/// The member "evidence" of a workload. Throws Error, pointing at the place.
Evidence read_evidence(const Json& json);

}  // namespace rackcast::reports
