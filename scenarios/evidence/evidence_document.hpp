#pragma once

#include "scenarios/document/evidence.hpp"

namespace rackcast {

struct Evidence;

/// The member "evidence" of a workload in the result document.
doc::Evidence evidence_document(const Evidence& evidence);

}  // namespace rackcast
