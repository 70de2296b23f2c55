#pragma once
/// The answer about a fleet that serves, in words.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// What the fleet answers, and within what; or why there is none. The document has "serving".
std::string served_text(const ResultDocument& document);

/// "0.25", "132,000": a rate without its unit.
std::string rate_words(double rate);

}  // namespace rackcast::reports
