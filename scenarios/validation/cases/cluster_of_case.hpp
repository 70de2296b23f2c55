#pragma once
/// The machine of a case as the "cluster" of a scenario: a node of the catalogue where the case names one,
/// else the node or the template that stands for what the case states of its inside; ports and fabric as
/// stated.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/format/scenario.hpp"
#include "scenarios/validation/cases/case.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// Throws Unpredictable when GPUs, their number, the wiring of a node or the fabric between nodes is not
/// stated, Error where the catalogue has no such thing.
nlohmann::ordered_json cluster_document(const Catalog& catalog, const ValidationCase& c);

/// The same, read; a cluster of the catalogue is resolved.
ClusterSpec cluster_of_case(const Catalog& catalog, const ValidationCase& c);

/// Whether two cases ran on as many GPUs of the same machine, as far as they say.
bool same_machine(const ValidationCase& a, const ValidationCase& b);

/// Of one of its nodes.
NodeSpec node_of_case(const Catalog& catalog, const ValidationCase& c);

/// The number without a point where it has none.
nlohmann::ordered_json plain_number(double value);

}  // namespace rackcast
