#pragma once
/// The cost of a job of a campaign (an experiment of a team, a member of an ensemble), owned and rented.
///
/// A cluster costs money whether it works or not. The cost after the warm-up is divided among the jobs that
/// held nodes then, by their node seconds. Waiting for a restart counts, and so does work that a failure
/// undid. A node second of stream s costs
///
///   (fixed + PUE x idle power x price) / (nodes x utilisation)
///   + PUE x (power of a node at the work of s - idle power of a node) x price
///
/// where `fixed` is depreciation, interest, space, support and staff of the cluster per second
/// (models/site/cost.hpp), `idle power` is that of the cluster, and `price` is that of energy. The sums of
/// all streams add up to the cost of the cluster. A rented job pays for whole instances while it holds its
/// nodes, and for nothing else.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/campaign/percentiles.hpp"
#include "scenarios/document/form/reason.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;
struct CampaignPower;
struct CampaignSite;
struct Scenario;

struct CampaignCost {
  struct Stream {
    Duration held{0};  ///< node seconds after the warm-up
    MoneyRate node{0};
    Money owned{0}, rented{0};  ///< of `held`

    std::size_t jobs = 0;                 ///< submitted after the warm-up, and ended
    Estimate job, rented_job;             ///< USD, mean of them
    Percentiles owned_jobs, rented_jobs;  ///< USD of them

    /// The same jobs cost from `first` to `second` on average, owned and rented, with the power as predicted.
    /// Does nothing without jobs.
    void widen(std::pair<double, double> own, std::pair<double, double> rent);
  };
  std::optional<doc::Reason> unknown;  ///< why there is nothing else
  CostReport cluster;                  ///< its use, its power while it works, and so its sums: the campaign's
  Duration over{0};                    ///< after the warm-up
  Duration held{0};                    ///< node seconds in it
  std::vector<Stream> streams;         ///< as in the campaign
};

/// `outcome` is that of `jobs`, and `power` the campaign's. The interval of what a job costs is that of the
/// power.
CampaignCost campaign_cost(const Scenario& scenario, const Catalog& catalog, const CampaignSite& site,
                           const CampaignPower& power, const std::vector<CampaignJob>& jobs,
                           const CampaignOutcome& outcome);

}  // namespace rackcast
