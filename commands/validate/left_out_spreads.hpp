#pragma once
/// Spreads of mechanisms that are fitted to the errors of `validate --leave-out source`.
#include <vector>

#include "calibrate/fit/spread_fit.hpp"
#include "scenarios/validation/report.hpp"

namespace rackcast {

class Json;

/// The cases that spreads are fitted on, of the document of `validate --leave-out source --json`: those that
/// some constant rests on, and those that are assumed, derived or approximate. None of them is judged.
/// Throws Error for another document.
std::vector<SpreadCase> spread_cases(const Json& document);

/// The report with new intervals: those of each source come from spreads that were fitted without this
/// source.
ValidationReport with_left_out_spreads(ValidationReport report);

}  // namespace rackcast
