#pragma once
/// One simulated step as a drawing: the streams of a GPU, the loader and the busiest links over time.
#include <optional>
#include <string>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

/// For a page: colours are those of reports/html/report.css, texts are escaped. Nothing without a timeline.
/// `measured`: the answer is conditioned on measurements, which the drawn step is not; the title says so.
std::optional<Drawing> timeline_drawing(const WorkloadResult& workload, bool measured = false);

/// An SVG document of its own with the steps of all workloads below each other.
std::string timeline_document(const ResultDocument& document);

}  // namespace rackcast::reports
