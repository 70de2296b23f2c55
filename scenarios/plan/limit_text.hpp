#pragma once
/// Limits for people.
#include <string>

#include "scenarios/limits/limits.hpp"

namespace rackcast {

struct Scenario;

/// A tenth more of a limit, as a factor; what comes in whole ones is rounded up, so that it is more at all.
double tenth_more(Limit limit, const Scenario& scenario);

/// So much of what the scenario allows, in its unit: "15.4 days" for 1.1 of 14 days. Where what is allowed
/// depends on the hardware, as a percentage of it.
std::string amount_text(Limit limit, const Scenario& scenario, double use);

}  // namespace rackcast
