#pragma once
#include <nlohmann/json_fwd.hpp>

namespace rackcast {

struct Evidence;

/// The member "evidence" of a workload in the result document.
nlohmann::ordered_json evidence_document(const Evidence& evidence);

}  // namespace rackcast
