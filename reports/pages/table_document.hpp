#pragma once
/// Listings ("format": "rackcast-table", written by scenarios/listings/listing.hpp) as a page.
#include <string>
#include <string_view>

#include "reports/writers/writers.hpp"

namespace rackcast::reports {

/// Throws Error if the text is no such document.
std::string render_tables(std::string_view json, const TextOptions& options = {});

}  // namespace rackcast::reports
