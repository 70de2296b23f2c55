#pragma once
/// Charts as Vega-Lite specifications (version 6), for the bundle that the page carries.
///
/// Colours are the custom properties of reports/html/report.css, so light, dark and print need no second
/// drawing; fonts and grid are set once for all charts in reports/html/charts.js.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Compact JSON; empty if there is nothing to draw.
std::string chart_spec(const Chart& chart);
std::string chart_spec(const BarChart& chart);
std::string chart_spec(const StackedBar& bar);

inline constexpr std::size_t series_colours = 6;  ///< --s0 to --s5

}  // namespace rackcast::reports
