#pragma once
/// Results beside each other ("format": "rackcast-comparison", written by scenarios/result/comparison.hpp) as
/// a page.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Throws Error if the text is no such document. `name` is the file in messages.
Report comparison_report(const std::string& json, const std::string& name);

}  // namespace rackcast::reports
