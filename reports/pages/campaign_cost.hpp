#pragma once
/// What the jobs of a campaign cost, from the "cost" of its document. Private to
/// reports/pages/campaign_report.cpp.
#include <string_view>

#include "reports/blocks/block.hpp"
#include "scenarios/document/campaign.hpp"

namespace rackcast::reports {

Section campaign_cost_section(const doc::CampaignCost& cost);

/// What people call a job of a stream of this kind: "experiment" of a "team".
std::string_view job_noun(std::string_view kind);

}  // namespace rackcast::reports
