#pragma once
/// The sliders of a page; reports/html/page.js moves them.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// A form with the sliders and the numbers they work on; empty where a workload has fewer than two points.
std::string html_what_if(const WhatIf& what_if);

}  // namespace rackcast::reports
