#pragma once
/// What a cluster takes of the limits of its site, and which of them it breaks. None of it gets better with
/// more nodes, so the search asks once: of the smallest count that meets the deadline.
#include <vector>

#include "scenarios/limits/limits.hpp"

namespace rackcast {

class Catalog;
struct Cluster;
struct CostReport;
struct SitePlan;
struct SiteRun;
struct SiteSpec;
struct StorageSpec;

/// Rack, racks, rack units, floor area and the site's power, those of them that the site states.
std::vector<LimitValue> limits_of_site(const SiteSpec& site, const SitePlan& plan);
/// The budgets that the site states.
std::vector<LimitValue> limits_of_money(const SiteSpec& site, const CostReport& cost);

/// Those that the cluster breaks. Budgets need what runs there, the slowest first. A limit that cannot be
/// decided, for want of a price, a power rating or rack units, is a conflict that says so. `cluster`: with
/// its spare nodes, the last `spares` of them.
std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     int spares, const StorageSpec& storage,
                                     const std::vector<SiteRun>& runs);

}  // namespace rackcast
