#pragma once
/// From a result document to a page. Pure functions: same document and options, same bytes.
#include <string>

#include "reports/result/result.hpp"
#include "reports/writers/writers.hpp"

namespace rackcast::reports {

/// All sections of the page that have something to say about this document, in their order.
Report build_report(const ResultDocument& document);

/// Its first page alone: what one decides by, in at most 24 lines of a terminal (a prompt follows). Where
/// there is more to say, the least weighty figures are left to the documents: never the recommendation, the
/// verdict, the money of more certainty, what it breaks, or the largest risks.
Report decide_layer(const Report& report, const TextOptions& options = {});

}  // namespace rackcast::reports
