#pragma once
/// Private to reports/load_result.cpp.
#include "reports/serving_result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

/// Throws Error at the place of what is missing or of the wrong type.
Serving read_serving(const Json& json);

}  // namespace rackcast::reports
