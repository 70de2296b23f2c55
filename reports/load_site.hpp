#pragma once
/// The "site" of a result document. Private to reports/load_result.cpp.
#include "reports/site_result.hpp"
#include "sim/json_reader.hpp"

namespace rackcast::reports {

/// Throws Error at the place of what is missing or of the wrong type.
Site read_site(const Json& json);

}  // namespace rackcast::reports
