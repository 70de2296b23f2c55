#pragma once
/// Named methods of frameworks to combine gradients (models/data/exchanges.json). A framework profile names
/// its own.
#include <string>
#include <string_view>
#include <vector>

#include "models/exchange/exchange.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

/// Throws Error listing the known names.
ExchangeSpec exchange_method(std::string_view name);
std::vector<std::string> exchange_method_names();  ///< sorted

/// The members of an exchange as data files and scenarios write them, laid over `x`: strategy, bucket,
/// gradient, cycle, groups, per_bucket, after_backward, packs, algorithm, transport, stack, nccl, in_network,
/// compression, servers, apart, on_gpus, sums_in_node, whole_arrays, sums_on_gpu, add_rate, mode, staleness,
/// split, local_steps, ways, factors. The caller finishes `in`. Throws Error at the place of a name that is
/// not known, a number out of range, or a member that the strategy does not use.
ExchangeSpec read_exchange_members(ObjectReader& in, ExchangeSpec x);

}  // namespace rackcast
