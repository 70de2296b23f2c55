#pragma once
/// The cluster of a campaign as its site sees it: what power and cost of a campaign both rest on.
#include <string>
#include <vector>

#include "models/power/node_power.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_plan.hpp"

namespace rackcast {

class Catalog;
class Evaluator;
struct Scenario;

struct CampaignSite {
  std::string unknown;  ///< why a stream's workload cannot be modelled on the cluster; empty: it can
  SiteSpec spec;        ///< the scenario's, or one without limits and prices
  const Cluster* cluster = nullptr;  ///< the evaluator's, with its spare nodes
  SitePlan plan;
  std::vector<SiteRun>
      runs;  ///< of each stream: its workload on the nodes of its jobs; a recorded one's on one
  PowerReport power;

  /// That jobs may use.
  [[nodiscard]] int nodes() const { return plan.count(DeviceRole::node); }
};

/// `evaluator` must outlive what is returned.
CampaignSite campaign_site(const Scenario& scenario, const Catalog& catalog, Evaluator& evaluator);

}  // namespace rackcast
