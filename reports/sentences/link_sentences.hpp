#pragma once
/// How full links are in a step, in words.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// "NVLink".
std::string link_technology_text(const doc::LinkShare& link);
/// "network ports to leaf switches".
std::string link_ends_text(const doc::LinkShare& link);

/// The fullest cables between nodes, and those in them. Empty where nothing is sent, or for a network that is
/// split over GPUs.
std::string links_text(const WorkloadResult& workload);

}  // namespace rackcast::reports
