#pragma once
/// Jobs of a campaign, and what became of them.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/reliability/goodput.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct CampaignJob {
  std::size_t stream = 0;  ///< which source it comes from
  int user = 0;            ///< unique over all streams
  Duration submit{0};
  int nodes = 1;
  Duration work{0};   ///< run time where nothing fails, on one leaf
  Duration limit{0};  ///< that its user states
  int priority = 0;
  bool preemptible = true;
  bool simulated = false;  ///< `work` is: so can be what several leaves cost
  std::optional<Duration> recorded_wait;
};

struct JobOutcome {
  std::optional<Duration> started, ended;  ///< nothing: not by the end of the campaign
  int failures = 0, preemptions = 0, leaves = 0, pods = 0;
  double slowdown = 1;  ///< by its last placement
};

/// How often nodes fail, and how jobs save their state and restart.
struct CampaignFailures {
  Duration node_mtbf{0};
  double replaced = 0;  ///< share of the failures that take the node away for a repair
  Duration repair{0};
  int spares = 0;
  std::function<GoodputSpec(int nodes)>
      job;  ///< interval, stall, lag and restart; wait and mttf are not read
};

/// All nodes of a job, without a break.
struct NodesHeld {
  std::size_t job = 0;
  Duration from{0}, to{0};
};

struct CampaignOutcome {
  std::vector<JobOutcome> jobs;  ///< as asked
  std::vector<NodesHeld> held;   ///< by the end of each
  // Node seconds after the warm-up.
  double available = 0, busy = 0;
  double useful = 0;    ///< of all jobs and the whole campaign: work that is safe
  double occupied = 0;  ///< of all jobs and the whole campaign: nodes held
  std::size_t failures = 0, preemptions = 0;
};

}  // namespace rackcast
