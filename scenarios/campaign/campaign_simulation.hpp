#pragma once
/// A campaign on the event engine: jobs arrive, wait for all of their nodes at once, run, fail, restart, are
/// preempted, end. Microsecond ticks; the same input and seed give the same outcome.
///
/// The scheduler looks at every arrival, end, failure and repair. Order: priority first; then submission, or
/// under fair share the user with the least node time used (decayed by the half-life). Backfill is EASY
/// (Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995): the first job that does not fit gets a
/// reservation at the time when the stated limits free enough nodes; a later one may start if it ends by then
/// or needs none of the nodes kept. At most 500 jobs of the queue are tried each time, as Slurm's
/// bf_max_job_test does by default.
///
/// A failure costs a job what came after its last safe checkpoint. It keeps its nodes and restarts, unless a
/// node must be repaired and no spare is free: then it goes back to the queue. Only nodes in use fail. A
/// preempted job saves its state first, in no time, and pays a restart later.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/format/campaign_spec.hpp"
#include "topologies/fabrics/gang.hpp"

namespace rackcast {

/// Run time of a job whose nodes hang so over that on as few leaves as can be.
using LeafCost = std::function<double(const CampaignJob& job, const Gang& gang)>;

/// How far a campaign is, and whether to stop it.
struct CampaignWatch {
  std::function<bool(Duration now)> go_on;  ///< asked whenever the scheduler looks; empty: never stops
};

/// `places` of the nodes. `failures` null: nothing ever fails, and restarting a preempted job takes no time.
/// `jobs` by submission. `leaf_cost` empty: what the scheduler's across_leaves says, of every job. Throws
/// Error for a job that is larger than the cluster, and LimitReached where `watch` stops it.
CampaignOutcome simulate_campaign(const CampaignSpec& spec, const std::vector<NodePlace>& places,
                                  std::span<const CampaignJob> jobs, const CampaignFailures* failures,
                                  std::uint64_t seed, const LeafCost& leaf_cost = {},
                                  const CampaignWatch& watch = {});

}  // namespace rackcast
