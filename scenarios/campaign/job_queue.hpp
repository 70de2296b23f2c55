#pragma once
/// Jobs that wait, in the order in which the scheduler tries them.
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "scenarios/campaign/campaign_job.hpp"
#include "scenarios/format/campaign_spec.hpp"

namespace rackcast {

class JobQueue {
 public:
  JobQueue(std::span<const CampaignJob> jobs, const SchedulerSpec& spec) : jobs_(jobs), spec_(spec) {}

  void push(std::size_t job) { waiting_.insert(key(job)); }
  void erase(std::size_t job) { waiting_.erase(key(job)); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  /// The first `most` jobs, best first.
  [[nodiscard]] std::vector<std::size_t> order(Duration now, std::size_t most) const;

  /// A job has held its nodes for `span` up to `now`.
  void charge(std::size_t job, Duration span, Duration now);

 private:
  /// Priority, submission, number.
  using Key = std::tuple<int, double, std::size_t>;
  [[nodiscard]] Key key(std::size_t job) const {
    return {-jobs_[job].priority, jobs_[job].submit.base(), job};
  }
  /// Node seconds of a user, old ones counting less.
  [[nodiscard]] double used(int user, Duration now) const;

  std::span<const CampaignJob> jobs_;
  const SchedulerSpec& spec_;
  std::set<Key> waiting_;
  struct Usage {
    double node_seconds = 0;
    Duration at{0};
  };
  std::map<int, Usage> usage_;
};

}  // namespace rackcast
