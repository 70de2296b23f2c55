#pragma once
/// The ways to exchange gradients that a scenario can name.
#include <string>

#include "models/exchange.hpp"
#include "sim/json_reader.hpp"

namespace rackcast {

/// "" and "all_reduce": what the library takes for each size. "fp16_gradients": the same, half the bytes.
/// "parameter_server": one on each node. Else the name of a collective algorithm, forced for every size.
/// Throws Error with the known names.
ExchangeSpec exchange_named(const std::string& name);

/// The name, checked. Throws Error at its place.
std::string read_exchange(const Json& json);

}  // namespace rackcast
