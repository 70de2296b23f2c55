#pragma once
/// The same case with other settings: where its source leaves one open, and where it compares two runs.
#include <vector>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// One case for each combination of what `"usual": {"workload.precision": ["fp32", "mixed"]}` lists: settings
/// that were usual where the source leaves them open. The case alone where it lists nothing. Throws
/// Unpredictable for an empty list, a path outside of "system" and "workload", or over 64 combinations.
std::vector<ValidationCase> usual_variants(const ValidationCase& c);

/// The case with the values of an object of paths: {"workload.precision": "fp32"}. Throws Unpredictable for a
/// path outside of "system" and "workload", and for a value of the wrong kind.
ValidationCase with_settings(const ValidationCase& c, const Json& settings);

}  // namespace rackcast
