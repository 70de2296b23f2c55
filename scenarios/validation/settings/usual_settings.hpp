#pragma once
/// Usual settings, for a case that does not state a setting which its prediction needs
/// (models/data/benchmarks/usual_settings.json).
#include <string>
#include <vector>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// One case for each usual value of the setting; none where nothing is known of it. `setting` is that of an
/// Unpredictable.
std::vector<ValidationCase> with_usual(const ValidationCase& c, const std::string& setting);

/// Whether a rule of the file gives usual values of the setting for such a case.
bool knows_usual(const ValidationCase& c, const std::string& setting);

}  // namespace rackcast
