#pragma once
/// The exchange of gradients in the run of a case.
#include <nlohmann/json_fwd.hpp>

#include "models/exchange/exchange.hpp"
#include "models/frameworks/framework.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// The "exchange" of a workload: from what the case says of synchronisation, library, algorithm and
/// transport. Null where that is what the framework does by itself on this number of nodes. `split`: of a
/// network that is split over GPUs, whose replicas always sum their gradients.
nlohmann::ordered_json exchange_document(const ValidationCase& c, const FrameworkProfile& profile, int nodes,
                                         bool split);

/// The same, read.
ExchangeSpec exchange_of_case(const ValidationCase& c, const FrameworkProfile& profile, int nodes);

/// Whether the ranks of several nodes exchange through sockets: where the source says so, and where NCCL runs
/// over Ethernet ports of up to 100 Gb/s of which the source names no RDMA. Sources that had RoCE or EFA say
/// so.
bool over_sockets(const ValidationCase& c);

}  // namespace rackcast
