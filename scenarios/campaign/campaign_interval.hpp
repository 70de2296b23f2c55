#pragma once
/// 90 % intervals of a campaign's waits and use: what chance and the model's error do to them.
///
/// The campaign is drawn 20 times: with the scenario's seed and as predicted, and 19 times with seeds of
/// their own, in which simulated run times are off by the quantiles 1/20 to 19/20 of their interval, all
/// streams alike: they share the kernels. The smallest and the largest of 20 draws hold the next one with a
/// probability of 19/21 = 90 % (order statistics: David & Nagaraja, Order Statistics, 2003, 7.3), whatever
/// the distribution.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/campaign/campaign_cost.hpp"
#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/campaign/campaign_jobs.hpp"

namespace rackcast {

struct CampaignReport;
struct CampaignSpec;
struct Scenario;
struct StreamStatistics;

struct CampaignInterval {
  struct Range {
    double low = 0, high = 0;
    void include(double value);  ///< NaN is left out
  };
  struct Stream {
    std::vector<Range> wait, completion;    ///< at the shares of Percentiles
    std::vector<Range> waits, completions;  ///< at the shares of quantile_shares(); empty without jobs
    Range job_owned, job_rented;            ///< USD, mean of the jobs
  };
  int draws = 0;
  std::optional<doc::Reason> why_none;  ///< where `draws` is 0
  std::vector<Stream> streams;
  std::vector<Range> in_use;  ///< in each of nodes_in_use()
  Range utilisation;
};

/// Jobs and what became of them, drawn with a seed.
struct CampaignDraw {
  CampaignJobs jobs;
  CampaignOutcome outcome;
};
/// `scale` changes the jobs before they run.
using DrawCampaign =
    std::function<CampaignDraw(std::uint64_t seed, const std::function<void(CampaignJobs&)>& scale)>;

using CostCampaign = std::function<CampaignCost(const CampaignDraw& draw)>;

/// `report` has everything else. `on_draw` is called after each draw.
CampaignInterval campaign_interval(
    const Scenario& scenario, const CampaignReport& report, const DrawCampaign& draw,
    const CostCampaign& cost, const std::function<void(std::size_t done, std::size_t all)>& on_draw = {});

/// 1/20 to 1.
std::vector<double> quantile_shares();
/// Values that these shares do not exceed, by the nearest rank; empty without values.
std::vector<double> quantiles(const std::vector<double>& sorted);
/// Mean number of nodes that jobs hold in each of 60 equal parts of the campaign.
std::vector<double> nodes_in_use(const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome,
                                 int nodes, Duration whole);

}  // namespace rackcast
