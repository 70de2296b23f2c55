#pragma once
/// How full the links are while a data-parallel training goes on.
#include <cstdint>
#include <vector>

#include "models/step/data_parallel.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Links of one place that carry something.
struct LinkShare {
  LinkPlace place;
  std::int64_t links = 0;  ///< directions; parallel cables between two devices count as one
  double mean = 0;         ///< bytes of a step over what the link could carry meanwhile, mean of the links
  double fullest = 0;      ///< the same of the fullest
};

/// A steady step of all ranks.
struct SteadyStep {
  Duration time{0};
  double samples = 0;
  double exchanges = 1;  ///< how often gradients or weights are sent; below 1: once in some steps
};

/// Of a plan with one crew, by place; empty where crews of several paces go on by themselves, or without a
/// time. Bytes of gradients (or weights) and of the input count; vectors of tables that are split and saved
/// states do not.
std::vector<LinkShare> link_shares(const DataParallelPlan& plan, const SteadyStep& step);

}  // namespace rackcast
