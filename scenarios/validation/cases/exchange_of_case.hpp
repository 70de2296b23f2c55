#pragma once
/// How the framework of a case exchanged gradients.
#include "models/exchange/exchange.hpp"
#include "models/frameworks/framework.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// From what the case says of synchronisation, library, algorithm and transport; where it says nothing, the
/// what the profile names. `nodes`: that take part. Throws Unpredictable for a way without a model.
ExchangeSpec exchange_of_case(const ValidationCase& c, const FrameworkProfile& profile, int nodes);

}  // namespace rackcast
