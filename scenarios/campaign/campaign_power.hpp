#pragma once
/// Power of the cluster of a campaign, from the simulated use of its nodes.
///
/// A node that a job holds draws what it draws while it trains the workload of the job's stream: the busy
/// share of one simulated step, put into models/power/node_power.hpp. A recorded job, or one whose run time
/// is stated, counts as the workload of its stream too. Any other node idles. Switches and storage draw their
/// typical power all the time. Means over hours of the campaign; the day begins when the campaign does.
#include <optional>
#include <string>
#include <vector>

#include "models/site/facility.hpp"
#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/document/form/reason.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;
struct CampaignSite;
struct Scenario;

struct CampaignPower {
  /// A node at the work of one stream.
  struct Draw {
    std::string stream, workload;
    double busy = 0;  ///< share of the time in which its GPUs compute
    Power node{0};
  };
  /// An hour of the day: the mean over the days, and the lowest and highest of them, of the IT.
  struct Hour {
    Power mean{0}, least{0}, most{0};
  };
  struct Part {
    Duration from{0}, length{0};
    Estimate it;  ///< W
  };

  std::optional<doc::Reason> unknown;  ///< why there is nothing else
  std::vector<std::string> missing;    ///< parts whose power nobody states: every sum leaves them out
  std::vector<Draw> draws;
  Power nameplate{0}, idle{0};
  Power others{0};  ///< of `idle`, what is no node
  Power node_idle{0};
  Estimate all_busy;  ///< W: every node at the work that draws most
  Estimate mean;      ///< W, of the IT over the whole campaign
  Power busiest_hour{0};
  std::vector<Hour> day;    ///< of the whole days after the warm-up; empty if there is none
  std::size_t days = 0;     ///< that `day` is taken from
  std::vector<Part> parts;  ///< the campaign in equal parts
  Energy it{0}, facility{0};
  double pue = 1;
  std::string plant, gpu_model, region;
  bool gpu_borrowed = false;
  CarbonIntensity intensity{0};
  Mass co2{0};
  double btu_per_hour = 0, tons = 0, air_cfm = 0, air_rise = 0;  ///< of the nameplate power
};

/// `outcome` is that of `jobs`. Where the site or the workload cannot be modelled, `unknown` says why.
CampaignPower campaign_power(const Scenario& scenario, const Catalog& catalog, const CampaignSite& site,
                             const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome);

}  // namespace rackcast
