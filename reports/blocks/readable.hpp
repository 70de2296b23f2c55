#pragma once
/// Numbers and units within sentences as people write them. Result documents carry sentences whose numbers
/// the parser could read ("489000 USD", "288 us", "4 x"); a page shows "489,000 USD", "288 µs", "4 ×". The
/// numbers behind cells, which CSV and XLSX carry, stay as they are, and so do commands and names of
/// scenarios.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// "606000 USD a year for 5280 GPUs" becomes "606,000 USD a year for 5,280 GPUs". Only whole words that are
/// numbers of four digits or more, and only in front of a counted thing or a unit: a year or a version stays.
std::string readable(std::string text);

/// The same for all words of a page but code, drawings and its title.
Report readable(Report report);

}  // namespace rackcast::reports
