#pragma once
/// From the streams of a campaign to its jobs.
#include <string>
#include <vector>

#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/format/campaign_spec.hpp"

namespace rackcast {

class Evaluator;
class GangSpeed;
struct Scenario;

/// What one stream brings, beside its jobs.
struct StreamJobs {
  std::size_t jobs = 0;
  Duration work{0};                    ///< mean run time of one job
  double work_low = 1, work_high = 1;  ///< ends of its 90 % interval over it; 1 unless simulated
  std::string work_from;               ///< "36,000,000 samples at 480 samples/s and node", "simulated", ...
  std::size_t left_out = 0;            ///< recorded jobs that are larger than the cluster
  std::size_t never_ran = 0;
};

struct CampaignJobs {
  std::vector<CampaignJob> jobs;  ///< by submission
  std::vector<StreamJobs> streams;
};

/// All jobs of the scenario's campaign on `nodes` nodes, submitted before its end. `gangs`: simulated jobs
/// run on as few leaves of the cluster as can be; null: with a network to themselves. Throws Error at the
/// place of a stream that names an unknown workload, asks for more nodes than there are, or a file that
/// cannot be read.
CampaignJobs campaign_jobs(const Scenario& scenario, Evaluator& evaluator, int nodes,
                           const GangSpeed* gangs = nullptr);

}  // namespace rackcast
