#pragma once
/// `rackcast campaign`: the scenario's campaign on the scenario's cluster.
#include <functional>
#include <string>
#include <vector>

#include "scenarios/campaign/campaign_cost.hpp"
#include "scenarios/campaign/campaign_interval.hpp"
#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/campaign/campaign_jobs.hpp"
#include "scenarios/campaign/campaign_power.hpp"
#include "scenarios/campaign/percentiles.hpp"
#include "scenarios/names/run_control.hpp"

namespace rackcast {

class Catalog;
struct Scenario;

struct StreamStatistics {
  std::size_t submitted = 0, started = 0, finished = 0, failures = 0, preemptions = 0;
  Percentiles wait, completion;            ///< seconds: submission to first start, submission to end
  Percentiles recorded_wait;               ///< NaN unless recorded
  std::vector<double> waits, completions;  ///< of all jobs that count, ascending
  double leaves = 0, pods = 0;             ///< mean number of leaf switches of a job, and of their pods
  double slowdown = 1;                     ///< mean run time over that on as few leaves as can be
};

struct CampaignReport {
  int nodes = 0;
  int spares = 0;  ///< beside `nodes`, for failed ones
  CampaignJobs jobs;
  CampaignOutcome outcome;
  std::vector<StreamStatistics> streams;
  double offered = 0;  ///< node seconds of work submitted per node second: over 1 the queue grows for ever
  double utilisation = 0;  ///< of the nodes, after the warm-up
  double goodput = 0;      ///< safe work per node second held
  std::string node_title;
  CampaignPower power;
  CampaignCost cost;
  CampaignInterval interval;
};

/// Of the jobs of one stream that were submitted from `from` on.
StreamStatistics stream_statistics(const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome,
                                   std::size_t stream, Duration from);

/// Throws Error if the scenario has no campaign, what campaign_jobs and simulate_campaign throw, and
/// LimitReached where `control` ends it before the campaign as predicted is over. A limit that is reached
/// later ends the draws for the intervals: the report then has none and says so. `control.on_design` counts
/// draws, `control.on_run` simulated steps.
CampaignReport run_campaign(const Scenario& scenario, const Catalog& catalog, const RunControl& control = {},
                            const std::function<void(Duration now)>& on_time = {});

/// The campaign document ("format": "rackcast-campaign", version 1) as indented JSON, in base units; the same
/// report gives the same bytes. reports/pages/campaign_report.hpp makes pages of it.
std::string campaign_document(const Scenario& scenario, const CampaignReport& report,
                              const std::string& command = {});

}  // namespace rackcast
