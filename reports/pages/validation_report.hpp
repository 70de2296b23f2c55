#pragma once
/// `rackcast validate` as a page: how far predictions are from published measurements.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// From the JSON of a validation ("format": "rackcast-validation"); `name` is the file in messages. Tables of
/// errors, the worst cases, what was skipped and why, and predicted against measured as charts.
/// Throws Error, pointing at the place, if it is not such a document.
Report build_validation_report(const std::string& json_text, const std::string& name);

}  // namespace rackcast::reports
