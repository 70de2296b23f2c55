#include "scenarios/campaign/campaign_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "models/step/training.hpp"
#include "scenarios/campaign/job_queue.hpp"
#include "scenarios/campaign/node_pool.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/engine/engine.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostTried = 500;

/// A job while it is in the system.
struct JobState {
  Duration left{0};  ///< work that is not yet safe
  Duration held_since{0}, attempt_since{0};
  std::vector<int> nodes;
  double slowdown = 1;
  bool ran = false;              ///< a start is a restart
  std::uint64_t generation = 0;  ///< an attempt of an older one is void
  GoodputSpec saves;             ///< interval 0: it saves nothing
  Duration expected_end{0};      ///< by its stated limit
};

class Simulation {
 public:
  Simulation(const CampaignSpec& spec, const std::vector<NodePlace>& places,
             std::span<const CampaignJob> jobs, const CampaignFailures* failures, std::uint64_t seed,
             const LeafCost& leaf_cost, const CampaignWatch& watch)
      : spec_(spec),
        jobs_(jobs),
        failures_(failures),
        leaf_cost_(leaf_cost),
        watch_(watch),
        seed_(seed),
        queue_(jobs, spec.scheduler),
        pool_(places, spec.scheduler.placement),
        states_(jobs.size()),
        spares_(failures ? failures->spares : 0) {
    out_.jobs.resize(jobs.size());
    const int nodes = pool_.size();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].nodes > nodes)
        throw Error{fmt::format("a job needs {} nodes at once and the cluster has {}", jobs[i].nodes, nodes)};
      states_[i].left = jobs[i].work;
    }
  }

  CampaignOutcome run() {
    engine_.spawn("submissions", submit(engine_));
    Limits limits;
    limits.until = spec_.duration;
    engine_.run(limits);
    if (stopped_) {
      throw LimitReached{fmt::format("the limit was reached after {} of {} of the campaign",
                                     to_text(engine_.time()), to_text(spec_.duration)),
                         {},
                         "give the run a larger --limit, or the campaign fewer jobs",
                         ErrorKind::infeasible};
    }
    for (const std::size_t job : std::set<std::size_t>{running_.begin(), running_.end()}) {
      note_held(job, spec_.duration);
      const Duration safe = safe_work(job, spec_.duration - states_[job].attempt_since);
      states_[job].left -= std::min(safe, states_[job].left);
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      out_.useful += jobs_[i].nodes * (jobs_[i].work - states_[i].left).base();
    out_.available = pool_.size() * (spec_.duration - spec_.warm_up).base();
    return std::move(out_);
  }

 private:
  Process submit(Engine& engine) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      co_await engine.sleep_until(engine.clock().ticks(jobs_[i].submit));
      if (stopped_) co_return;
      queue_.push(i);
      // Those of the same instant come in together.
      if (i + 1 == jobs_.size() || jobs_[i + 1].submit > jobs_[i].submit) schedule();
    }
  }

  /// From a start, or restart, to the end or a failure.
  Process attempt(Engine& engine, std::size_t job, std::uint64_t generation) {
    RandomStream random{seed_, fmt::format("campaign/failures/{}/{}", job, generation)};
    for (;;) {
      JobState& s = states_[job];
      s.attempt_since = engine.time();
      const Duration needed = time_needed(job);
      Duration failure{std::numeric_limits<double>::infinity()};
      if (failures_) failure = Duration{random.exponential(failures_->node_mtbf.base() / jobs_[job].nodes)};
      co_await engine.sleep(within_campaign(std::min(needed, failure)));
      if (states_[job].generation != generation) co_return;
      if (needed <= failure) {
        finish(job);
        co_return;
      }
      if (!failed(job, random)) co_return;
    }
  }

  Process in_repair(Engine& engine, int node, bool of_pool, Duration span) {
    co_await engine.sleep(within_campaign(span));
    if (of_pool) {
      pool_.repaired(node);
      schedule();
    } else {
      ++spares_;
    }
  }

  /// What ends after the campaign is as good as what ends long after it, and fits the clock.
  [[nodiscard]] Duration within_campaign(Duration span) const { return std::min(span, 2 * spec_.duration); }

  [[nodiscard]] Duration overhead(const JobState& s) const {
    return s.ran && failures_ ? s.saves.restart : Duration{0};
  }

  /// Without a failure: restart, work, and a save after each interval but the last.
  [[nodiscard]] Duration time_needed(std::size_t job) const {
    const JobState& s = states_[job];
    const Duration wall = s.slowdown * s.left;
    Duration saves{0};
    if (s.saves.interval > Duration{0})
      saves = std::max(0.0, std::ceil(wall / s.saves.interval) - 1) * s.saves.stall;
    return overhead(s) + wall + saves;
  }

  /// Work that is safe when the attempt ends after `span`.
  [[nodiscard]] Duration safe_work(std::size_t job, Duration span) const {
    const JobState& s = states_[job];
    if (!failures_) return span / s.slowdown;
    const Duration at_work = span - overhead(s) - s.saves.lag;
    if (at_work <= Duration{0} || s.saves.interval <= Duration{0}) return Duration{0};
    return std::floor(at_work / (s.saves.interval + s.saves.stall)) * s.saves.interval / s.slowdown;
  }

  void start(std::size_t job) {
    JobState& s = states_[job];
    JobOutcome& outcome = out_.jobs[job];
    queue_.erase(job);
    s.nodes = pool_.take(jobs_[job].nodes);
    const Gang gang = pool_.gang(s.nodes);
    outcome.pods = static_cast<int>(gang.size());
    outcome.leaves = 0;
    for (const auto& pod : gang) outcome.leaves += static_cast<int>(pod.size());
    s.slowdown = outcome.leaves < 2 ? 1
                 : leaf_cost_       ? leaf_cost_(jobs_[job], gang)
                                    : spec_.scheduler.across_leaves.value_or(1);
    outcome.slowdown = s.slowdown;
    if (failures_) s.saves = failures_->job(jobs_[job].nodes);
    s.held_since = s.attempt_since = engine_.time();
    if (!outcome.started) outcome.started = engine_.time();
    s.expected_end = engine_.time() + remaining_limit(job);
    running_.insert(job);
    engine_.spawn("job", attempt(engine_, job, s.generation));
  }

  /// The stated limit, in proportion to what is left to do.
  [[nodiscard]] Duration remaining_limit(std::size_t job) const {
    return jobs_[job].limit * (states_[job].left / jobs_[job].work);
  }

  void note_held(std::size_t job, Duration now) {
    const JobState& s = states_[job];
    out_.held.push_back({job, s.held_since, now});
    out_.occupied += jobs_[job].nodes * (now - s.held_since).base();
    out_.busy += jobs_[job].nodes * std::max(Duration{0}, now - std::max(s.held_since, spec_.warm_up)).base();
  }

  /// The job lets go of its nodes.
  void leave(std::size_t job) {
    JobState& s = states_[job];
    note_held(job, engine_.time());
    queue_.charge(job, engine_.time() - s.held_since, engine_.time());
    running_.erase(job);
    pool_.give_back(s.nodes);
    s.nodes.clear();
    s.ran = true;
    ++s.generation;
  }

  void finish(std::size_t job) {
    states_[job].left = Duration{0};
    leave(job);
    out_.jobs[job].ended = engine_.time();
    schedule();
  }

  /// True: the job goes on with its nodes.
  bool failed(std::size_t job, RandomStream& random) {
    JobState& s = states_[job];
    const Duration safe = safe_work(job, engine_.time() - s.attempt_since);
    s.left -= std::min(safe, s.left);
    s.ran = true;
    ++out_.jobs[job].failures;
    ++out_.failures;
    if (random.uniform() >= failures_->replaced) return true;
    const int node = s.nodes[static_cast<std::size_t>(random.below(s.nodes.size()))];
    const Duration repair{random.exponential(failures_->repair.base())};
    const bool spare = spares_ > 0;
    if (spare) {
      --spares_;
    } else {
      pool_.repair(node);
    }
    engine_.spawn("repair", in_repair(engine_, node, !spare, repair));
    if (spare) return true;
    leave(job);
    queue_.push(job);
    schedule();
    return false;
  }

  void preempt(std::size_t job) {
    JobState& s = states_[job];
    const Duration done = std::max(Duration{0}, engine_.time() - s.attempt_since - overhead(s));
    s.left -= std::min(done / s.slowdown, s.left);
    leave(job);
    // Nothing left but the end of the interval: it still has to come back for it.
    s.left = std::max(s.left, Duration{1e-6});
    ++out_.jobs[job].preemptions;
    ++out_.preemptions;
    queue_.push(job);
  }

  /// Makes room for `job` by stopping jobs of lower priority, the latest first; false: there is no way.
  bool make_room(std::size_t job) {
    if (!spec_.scheduler.preemption) return false;
    std::vector<std::size_t> victims;
    for (const std::size_t other : running_)
      if (jobs_[other].preemptible && jobs_[other].priority < jobs_[job].priority) victims.push_back(other);
    std::ranges::stable_sort(victims, [this](std::size_t a, std::size_t b) {
      if (jobs_[a].priority != jobs_[b].priority) return jobs_[a].priority < jobs_[b].priority;
      return states_[a].held_since > states_[b].held_since;
    });
    int room = pool_.free();
    std::size_t enough = 0;
    while (enough < victims.size() && room < jobs_[job].nodes) room += jobs_[victims[enough++]].nodes;
    if (room < jobs_[job].nodes) return false;
    for (std::size_t i = 0; i < enough; ++i) preempt(victims[i]);
    return true;
  }

  struct Reservation {
    Duration at{std::numeric_limits<double>::infinity()};
    int spare = 0;  ///< free nodes then, beyond what is reserved
  };
  /// When the stated limits of what runs free enough nodes for `job`.
  [[nodiscard]] Reservation reserve(std::size_t job) const {
    std::vector<std::pair<double, int>> ends;
    for (const std::size_t other : running_)
      ends.emplace_back(states_[other].expected_end.base(), jobs_[other].nodes);
    std::ranges::sort(ends);
    int free = pool_.free();
    for (const auto& [end, nodes] : ends) {
      free += nodes;
      if (free >= jobs_[job].nodes) return {std::max(Duration{end}, engine_.time()), free - jobs_[job].nodes};
    }
    return {};
  }

  void schedule() {
    if (stopped_) return;
    if (watch_.go_on && !watch_.go_on(engine_.time())) {
      stopped_ = true;
      engine_.pause_after_instant();
      return;
    }
    const auto order = queue_.order(engine_.time(), kMostTried);
    std::size_t i = 0;
    for (; i < order.size(); ++i) {
      if (jobs_[order[i]].nodes > pool_.free() && !make_room(order[i])) break;
      start(order[i]);
    }
    if (i == order.size() || spec_.scheduler.policy == SchedulerPolicy::fifo) return;
    Reservation first = reserve(order[i]);
    for (++i; i < order.size() && pool_.free() > 0; ++i) {
      const std::size_t job = order[i];
      if (jobs_[job].nodes > pool_.free()) continue;
      const bool in_time = engine_.time() + remaining_limit(job) <= first.at;
      if (!in_time && jobs_[job].nodes > first.spare) continue;
      if (!in_time) first.spare -= jobs_[job].nodes;
      start(job);
    }
  }

  const CampaignSpec& spec_;
  std::span<const CampaignJob> jobs_;
  const CampaignFailures* failures_;
  const LeafCost& leaf_cost_;
  const CampaignWatch& watch_;
  bool stopped_ = false;
  std::uint64_t seed_;
  Engine engine_{TickLength::microsecond};
  JobQueue queue_;
  NodePool pool_;
  std::vector<JobState> states_;
  std::set<std::size_t> running_;
  int spares_;
  CampaignOutcome out_;
};

}  // namespace

CampaignOutcome simulate_campaign(const CampaignSpec& spec, const std::vector<NodePlace>& places,
                                  std::span<const CampaignJob> jobs, const CampaignFailures* failures,
                                  std::uint64_t seed, const LeafCost& leaf_cost, const CampaignWatch& watch) {
  return Simulation{spec, places, jobs, failures, seed, leaf_cost, watch}.run();
}

}  // namespace rackcast
