#pragma once
/// The search for the split of a network in the result document. Private to scenarios/result.
#include "scenarios/document/training.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// Of a workload whose split was searched.
doc::SplitSearch split_search_document(const WorkloadResult& workload);

}  // namespace rackcast
