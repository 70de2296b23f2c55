#include "scenarios/campaign/job_queue.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast {

double JobQueue::used(int user, Duration now) const {
  const auto it = usage_.find(user);
  if (it == usage_.end()) return 0;
  return it->second.node_seconds * std::exp2(-((now - it->second.at) / spec_.half_life));
}

void JobQueue::charge(std::size_t job, Duration span, Duration now) {
  if (spec_.policy != SchedulerPolicy::fair_share) return;
  const int user = jobs_[job].user;
  usage_[user] = {used(user, now) + jobs_[job].nodes * span.base(), now};
}

std::vector<std::size_t> JobQueue::order(Duration now, std::size_t most) const {
  std::vector<std::size_t> out;
  if (spec_.policy != SchedulerPolicy::fair_share) {
    for (auto it = waiting_.begin(); it != waiting_.end() && out.size() < most; ++it)
      out.push_back(std::get<2>(*it));
    return out;
  }
  struct Row {
    int priority;
    double used;
    double submit;
    std::size_t job;
    auto operator<=>(const Row&) const = default;
  };
  std::vector<Row> rows;
  std::map<int, double> known;
  for (const auto& [priority, submit, job] : waiting_) {
    const int user = jobs_[job].user;
    const auto it = known.try_emplace(user, 0).first;
    if (it->second == 0) it->second = used(user, now);
    rows.push_back({priority, it->second, submit, job});
  }
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(rows.begin(), middle, rows.end());
  for (auto it = rows.begin(); it != middle; ++it) out.push_back(it->job);
  return out;
}

}  // namespace rackcast
