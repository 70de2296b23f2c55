#pragma once
#include <vector>

#include "scenarios/document/answer.hpp"

namespace rackcast {

/// The formulas behind a result, in the order in which a reader meets the numbers.
std::vector<doc::MethodStep> method();

}  // namespace rackcast
