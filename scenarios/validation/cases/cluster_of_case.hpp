#pragma once
/// The machine of a case as a cluster: a node of the catalogue where the case names one, else one built from
/// what the case states of its inside; ports and fabric as stated.
#include <string>

#include "models/collectives/cluster.hpp"
#include "scenarios/validation/cases/case.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

/// Equal for cases that ran on the same number of GPUs of the same machine.
std::string cluster_key(const ValidationCase& c);

/// Throws Unpredictable when GPUs, their number, the wiring of a node or the fabric between nodes is not
/// stated, Error where the catalogue has no such thing.
Cluster cluster_of_case(const Catalog& catalog, const ValidationCase& c,
                        std::shared_ptr<const CommData> comm = shipped_comm_data());

}  // namespace rackcast
