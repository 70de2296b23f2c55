#pragma once
/// The scenario's "campaign": who submits which jobs, for how long, and how they are scheduled.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// fifo: strictly in order. backfill: a later job may start if that does not delay the first one (EASY).
/// fair_share: the user who has used least goes first, and backfill.
enum class SchedulerPolicy { fifo, backfill, fair_share };
std::string_view to_string(SchedulerPolicy policy);

/// compact: on as few leaf switches as possible. first_fit: the lowest free nodes.
enum class Placement { compact, first_fit };

struct SchedulerSpec {
  SchedulerPolicy policy = SchedulerPolicy::backfill;
  Placement placement = Placement::compact;
  int nodes_per_leaf = 0;               ///< 0: as the network has it; one leaf where that does not tell
  std::optional<double> across_leaves;  ///< run time of a job on more than one leaf over that on one; absent:
                                        ///< simulated
  bool preemption = false;              ///< a job of higher priority may stop a preemptible one
  Duration half_life{7 * 86400.0};      ///< of what fair share remembers
};

enum class StreamKind { run, team, ensemble, retraining, recorded };
std::string_view to_string(StreamKind kind);

/// One source of jobs.
struct StreamSpec {
  std::string name;
  StreamKind kind = StreamKind::run;
  std::string workload;           ///< model of one of the scenario's workloads; empty: the first
  int nodes = 1;                  ///< of each job, all at once
  std::optional<Duration> work;   ///< of one job on its nodes; or
  std::optional<Frequency> rate;  ///< samples/s of one node; or neither: simulated
  int priority = 0;               ///< the higher goes first
  bool preemptible = true;
  double limit_factor = 1.5;  ///< the time limit that users state, over the real run time
  Duration at{0};             ///< of the first job

  // team
  int users = 1;
  double experiments_per_day = 1;  ///< of each user
  Duration hours{86400};           ///< of each day in which they are submitted
  bool regular = false;            ///< evenly spaced instead of at random
  // ensemble
  int members = 1;
  double stop_after = 1, keep = 1;  ///< after this share of its work, only this share of members goes on
  // retraining
  Duration every{0};
  // recorded
  std::string file;
  Where where;
};

struct CampaignSpec {
  Duration duration{30 * 86400.0};
  Duration warm_up{0};  ///< jobs submitted earlier do not count in the statistics
  SchedulerSpec scheduler;
  std::vector<StreamSpec> streams;
  Where where;
};

/// Throws Error at the place of a bad value.
CampaignSpec read_campaign(const Json& json);

}  // namespace rackcast
