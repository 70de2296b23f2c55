#pragma once
/// A campaign ("format": "rackcast-campaign", written by scenarios/campaign) as a page.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Throws Error, pointing at the place, if the text is no campaign document of this version.
Report campaign_report(const std::string& text, std::string name);

}  // namespace rackcast::reports
