#pragma once
/// Tables as HTML that becomes cards on a narrow page.
#include <string>
#include <string_view>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

std::string html_table(const Table& table);

/// The class of reports/html/report.css for a tone.
std::string_view tone_class(Tone tone);

}  // namespace rackcast::reports
