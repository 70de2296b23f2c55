#pragma once
/// The ways to exchange gradients that a scenario can name.
#include <string>

#include "models/exchange/exchange.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

struct FrameworkProfile;

/// From the text that read_exchange gives. "" and "all_reduce": what the library takes for each size.
/// "fp16_gradients": the same in 16 bits, whatever the precision. "parameter_server": one on each node. The
/// name of a collective algorithm: forced for every size. What a framework does by itself
/// (models/exchange/exchange_methods.hpp): "horovod", "ps_lite". Throws Error with the known names.
ExchangeSpec exchange_named(const std::string& text);

/// The same for a run on `nodes` nodes; "" means the framework's own way for that number of nodes.
ExchangeSpec exchange_on(const std::string& text, const FrameworkProfile& framework, int nodes);

/// A name, checked, or an object of the members of read_exchange_members as one line of JSON; its "method"
/// names what the members are laid over. Throws Error at its place.
std::string read_exchange(const Json& json);

}  // namespace rackcast
