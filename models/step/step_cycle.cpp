#include "models/step/step_cycle.hpp"

#include <algorithm>

namespace rackcast {

void StepCycle::add(const StepSignature& step) {
  const std::size_t before = steps_.size();
  steps_.push_back(step);
  matches_.resize(std::min(before, longest_cycle) + 1, 0);
  period_ = 0;
  for (std::size_t p = 1; p < matches_.size(); ++p) {
    matches_[p] = steps_[before - p] == step ? matches_[p] + 1 : 0;
    if (period_ == 0 && matches_[p] >= p) period_ = p;
  }
}

void StepCycle::restart() {
  *this = {};
}

}  // namespace rackcast
