#pragma once
/// How frameworks combine gradients, by name: models/data/exchanges.json. Framework profiles name theirs.
#include <string_view>

#include "models/exchange.hpp"

namespace rackcast {

/// Throws Error listing the known names.
ExchangeSpec exchange_method(std::string_view name);

}  // namespace rackcast
