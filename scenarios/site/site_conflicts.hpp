#pragma once
/// What of a site the cluster of a question breaks. None of it gets better with more nodes, so the search
/// asks once: of the smallest count that meets the deadline.
#include <vector>

namespace rackcast {

class Catalog;
struct Cluster;
struct Conflict;
struct SiteRun;
struct SiteSpec;
struct StorageSpec;

/// Names of constraints: "rack", "max_racks", "rack_units", "floor_area", "site_power", "budget",
/// "opex_budget", "total_budget"; the last two need what runs there, the slowest first. A budget that cannot
/// be checked, for want of a price, is a conflict that says so.
std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     const StorageSpec& storage, const std::vector<SiteRun>& runs);

}  // namespace rackcast
