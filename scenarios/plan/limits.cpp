#include "scenarios/plan/limits.hpp"

#include <algorithm>
#include <bit>

namespace rackcast {

std::string_view to_string(Limit limit) {
  return limit_names.at(static_cast<std::size_t>(limit));
}

LimitMask broken(const PerLimit& uses, const PerLimit& factors) {
  LimitMask mask = 0;
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto limit = static_cast<Limit>(i);
    if (uses[limit] > factors[limit] * (1 + 1e-9)) mask |= bit(limit);
  }
  return mask;
}

std::vector<Limit> limits_of(LimitMask mask) {
  std::vector<Limit> out;
  for (std::size_t i = 0; i < limit_count; ++i)
    if (mask & bit(static_cast<Limit>(i))) out.push_back(static_cast<Limit>(i));
  return out;
}

std::vector<LimitMask> minimal_masks(std::vector<LimitMask> masks) {
  std::ranges::sort(masks);
  masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
  std::vector<LimitMask> out;
  for (const LimitMask mask : masks) {
    const bool larger =
        std::ranges::any_of(masks, [&](LimitMask other) { return other != mask && (other & mask) == other; });
    if (!larger) out.push_back(mask);
  }
  return out;
}

LimitMask smallest_conflict(const std::vector<LimitMask>& masks) {
  const std::vector<LimitMask> least = minimal_masks(masks);
  if (least.empty() || least.front() == 0) return 0;
  LimitMask any = 0;
  for (const LimitMask mask : least) any |= mask;
  LimitMask best = any;
  // Every subset of the limits that somebody breaks: at most 2^17.
  for (LimitMask set = any; set != 0; set = (set - 1) & any) {
    const int size = std::popcount(set), smallest = std::popcount(best);
    if (size > smallest || (size == smallest && set >= best)) continue;
    if (std::ranges::all_of(least, [&](LimitMask mask) { return (mask & set) != 0; })) best = set;
  }
  return best;
}

}  // namespace rackcast
