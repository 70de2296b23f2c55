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
/// "opex_budget", "total_budget"; the last two need what runs there, the slowest first. A limit that cannot
/// be decided, for want of a price, a power rating or rack units, is a conflict that says so. `cluster`: with
/// its spare nodes, the last `spares` of them.
std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     int spares, const StorageSpec& storage,
                                     const std::vector<SiteRun>& runs);

}  // namespace rackcast
