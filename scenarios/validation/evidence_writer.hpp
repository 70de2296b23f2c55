#pragma once
/// The part of a validation that travels with the program (scenarios/evidence/evidence.hpp).
#include <span>
#include <string>

#include "scenarios/validation/report.hpp"

namespace rackcast {

/// The text of scenarios/evidence/data/training.json. `cases` are those that `report` judges, in the same
/// order.
std::string evidence_text(const Catalog& catalog, std::span<const ValidationCase> cases,
                          const ValidationReport& report);

}  // namespace rackcast
