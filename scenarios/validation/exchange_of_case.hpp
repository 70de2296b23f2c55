#pragma once
/// How the framework of a case exchanged gradients.
#include "models/exchange.hpp"
#include "scenarios/validation/case.hpp"

namespace rackcast {

/// From what the case says of synchronisation, library, algorithm and transport; where it says nothing, the
/// default of the framework. `nodes`: that take part. Throws Unpredictable for a way without a model.
ExchangeSpec exchange_of_case(const ValidationCase& c, int nodes);

}  // namespace rackcast
