#pragma once
/// One simulated step as a drawing: the streams of a GPU, the loader and the busiest links over time.
#include <string>

#include "reports/block.hpp"

namespace rackcast {
class Tracer;
}

namespace rackcast::reports {

/// A whole SVG document: for each part of the trace (a workload), the last step recorded whole, from the end
/// of one update to the end of the next; the whole trace where there are not two updates. Text is escaped.
std::string timeline_svg(const Tracer& tracer);

/// The same at the end of the section about performance, if the report has one.
void add_timeline(Report& report, const Tracer& tracer);

}  // namespace rackcast::reports
