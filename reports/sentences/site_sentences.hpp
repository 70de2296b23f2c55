#pragma once
/// The site of an answer in words.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// How many racks there are, and whether a packing could take fewer.
std::string packing_text(const Site& site);

/// The rack with the least power to spare, by nameplate, typical and expected power. There is a rack.
std::string fullest_rack_text(const Site& site);

/// What the site draws, and what that leaves out.
std::string power_text(const Site& site);
/// A node without a power rating; `others_w` is the nameplate power of all else.
std::string unrated_text(const std::string& node, double others_w);

/// Switches, cables, free ports.
std::string network_text(const SiteNetwork& network);

/// What buying and owning costs, beside renting. The site has a cost.
std::string cost_text(const Site& site);
/// Why there is no rent to compare with: a reason "no_instance" or "no_rent_yet".
std::string no_rent_text(const doc::Reason& reason);

}  // namespace rackcast::reports
