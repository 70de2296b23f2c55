#pragma once
/// Power and cooling of a campaign, from the "power" of its document. Private to reports/campaign_report.cpp.
#include "reports/block.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

Section campaign_power_section(const Json& power);

}  // namespace rackcast::reports
