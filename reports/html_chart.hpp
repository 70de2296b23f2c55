#pragma once
/// Charts as inline SVG, coloured by the classes of reports/html/report.css.
#include <string>
#include <vector>

#include "reports/block.hpp"

namespace rackcast::reports {

/// The stacked bar alone; widths are percentages, so it fits any page.
std::string stacked_bar_svg(const StackedBar& bar);

/// The chart at `width` by `height` CSS pixels; nothing if it has no positive points.
std::string chart_svg(const Chart& chart, double width, double height);

/// A mark of the axis and its text.
struct Tick {
  double value = 0;
  std::string text;
};
/// Round values inside [low, high] on a logarithmic axis, ascending.
std::vector<Tick> log_ticks(Chart::Scale scale, double low, double high);

}  // namespace rackcast::reports
