#include "sim/program/path_log.hpp"

#include <algorithm>

namespace rackcast {

void PathLog::begin(std::size_t actors, SimTime now) {
  entries_.clear();
  last_.assign(actors, none);
  begin_ = now;
}

SimTime PathLog::end_of(std::uint32_t actor) const {
  return last_[actor] == none ? begin_ : entries_[last_[actor]].step.end;
}

/// Actors take no time between operations: this one began when what let the actor go on was over.
void PathLog::ended(std::uint32_t actor, std::uint32_t operation, SimTime now) {
  entries_.push_back({{actor, operation, end_of(actor), now}, last_[actor]});
  last_[actor] = static_cast<std::uint32_t>(entries_.size() - 1);
}

void PathLog::released(std::uint32_t actor, std::uint32_t by) {
  last_[actor] = last_[by];
}

std::vector<PathStep> PathLog::behind(std::uint32_t actor) const {
  std::vector<PathStep> out;
  for (std::uint32_t i = last_[actor]; i != none; i = entries_[i].before)
    if (entries_[i].step.end > entries_[i].step.start) out.push_back(entries_[i].step);
  std::ranges::reverse(out);
  return out;
}

}  // namespace rackcast
