#pragma once
/// The split of the network of a case over GPUs, as the "parallelism" of a workload.
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

class Catalog;

/// Are low-rank adapters trained, and the network's own weights kept?
bool trains_adapters(const ValidationCase& c);
/// Such a run whose split is not stated has the usual one.
bool split_is_taken(const ValidationCase& c);
/// Does the case state a tensor- or pipeline-parallel split?
bool is_split(const ValidationCase& c);
/// GPUs of one copy of the network. Throws Unpredictable like parallelism_document().
int gpus_of_copy(const Catalog& catalog, const ValidationCase& c);

/// Number of GPUs in one way of a stated split, such as "tp" or "pp" (for "vpp": parts of the network per
/// stage); 1 where the split does not state it. Throws Unpredictable unless it is a whole number from 1 to
/// 100,000.
int ways_of(const Json& split, std::string_view key);
/// The same for the split of the case's training.
int ways_of_case(const ValidationCase& c, std::string_view key);

/// What is sharded over the replicas: 1 the optimizer's states, 2 gradients as well, 3 weights as well.
/// Throws Unpredictable for a way of sharding that is not known.
int zero_stage_of_case(const ValidationCase& c);

/// "parallelism", and the "adapters" of a run that trains such. Throws Unpredictable where the batch or
/// the micro-batch is not stated, or the GPUs are no multiple of the split.
nlohmann::ordered_json parallelism_document(const Catalog& catalog, const ValidationCase& c);
nlohmann::ordered_json adapters_document(const ValidationCase& c);

}  // namespace rackcast
