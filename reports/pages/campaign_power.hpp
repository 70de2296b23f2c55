#pragma once
/// Power and cooling of a campaign, from the "power" of its document. Private to
/// reports/pages/campaign_report.cpp.
#include "reports/blocks/block.hpp"
#include "scenarios/document/campaign.hpp"

namespace rackcast::reports {

Section campaign_power_section(const doc::CampaignPower& power);

}  // namespace rackcast::reports
