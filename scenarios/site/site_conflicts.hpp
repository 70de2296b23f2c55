#pragma once
/// What of a site the cluster of a question breaks. None of it gets better with more nodes, so the search
/// asks once: of the smallest count that meets the deadline.
#include <vector>

namespace rackcast {

class Catalog;
struct Cluster;
struct Conflict;
struct SiteSpec;
struct StorageSpec;

/// Names of constraints: "rack", "max_racks", "floor_area", "site_power", "budget". A budget that cannot be
/// checked, for want of a price, is a conflict that says so.
std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     const StorageSpec& storage);

}  // namespace rackcast
