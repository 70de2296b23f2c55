#include "scenarios/limits/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "scenarios/limits/missing_facts.hpp"

namespace rackcast {

std::vector<Conflict> conflicts_of(const std::vector<LimitValue>& limits) {
  std::vector<Conflict> out;
  for (const LimitValue& l : limits) {
    if (l.above())
      out.push_back({l.limit, l.allowed, std::string{at_least(!l.missing.empty())} + l.needed, l.why});
    else if (l.undecided())
      out.push_back({l.limit, l.allowed, "unknown: " + l.missing,
                     doc::Reason{"undecided", {{"allowed", l.allowed}, {"missing", l.missing}}}});
  }
  return out;
}

std::string brief_text(const Conflict& c) {
  return fmt::format("{}: {} asked, {} reached", kind_of(c.limit).title, c.required, c.best);
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

LimitMask mask_of(const std::vector<Conflict>& conflicts) {
  LimitMask out = 0;
  for (const Conflict& c : conflicts) out |= bit(c.limit);
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
  // Every subset of the limits that somebody breaks: at most 2^23, and few.
  for (LimitMask set = any; set != 0; set = (set - 1) & any) {
    const int size = std::popcount(set), smallest = std::popcount(best);
    if (size > smallest || (size == smallest && set >= best)) continue;
    if (std::ranges::all_of(least, [&](LimitMask mask) { return (mask & set) != 0; })) best = set;
  }
  return best;
}

}  // namespace rackcast
