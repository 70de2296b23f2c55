#include "models/step/binding_resources.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace rackcast {

namespace {

/// Part of a resource that one unit of work of a pattern takes per second.
struct UsedPart {
  double part = 0;
  std::uint32_t resource = 0;
};

class CoverSearch {
 public:
  CoverSearch(const std::vector<PlanResource>& resources, const ResourceScales& scales)
      : resources_{resources}, scales_{scales} {
    for (std::uint32_t r = 0; r < resources.size(); ++r) {
      for (const auto& [pattern, units] : resources[r].uses) {
        const auto p = static_cast<std::size_t>(pattern);
        if (users_.size() <= p) users_.resize(p + 1);
        users_[p].push_back({part(r, units), r});
      }
    }
    for (std::vector<UsedPart>& users : users_)
      std::ranges::stable_sort(users, [](const UsedPart& a, const UsedPart& b) { return a.part > b.part; });
  }

  std::vector<bool> run() const {
    std::vector<bool> kept(resources_.size());
    for (std::uint32_t r = 0; r < resources_.size(); ++r) kept[r] = !is_covered(r);
    return kept;
  }

 private:
  [[nodiscard]] double part(std::uint32_t resource, double units) const {
    const PlanResource& r = resources_[resource];
    return units / (r.capacity * scales_.of(r));
  }

  /// Covering has no circles but among resources that cover each other, of which the first covers the rest.
  /// So what is covered by anything is covered by something that is kept.
  [[nodiscard]] bool is_covered(std::uint32_t r) const {
    if (resources_[r].uses.empty()) return true;
    const std::span<const UsedPart> candidates = at_least_as_used(r);
    return std::ranges::any_of(candidates, [&](const UsedPart& other) {
      const std::uint32_t s = other.resource;
      return s != r && covers(s, r) && (s < r || !covers(r, s));
    });
  }

  /// The resources that a pattern uses as much as r, for the pattern that has the fewest of them.
  [[nodiscard]] std::span<const UsedPart> at_least_as_used(std::uint32_t r) const {
    std::span<const UsedPart> fewest;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& [pattern, units] : resources_[r].uses) {
      const std::vector<UsedPart>& users = users_[static_cast<std::size_t>(pattern)];
      const auto end = std::ranges::partition_point(
          users, [own = part(r, units)](const UsedPart& user) { return user.part >= own; });
      const auto count = static_cast<std::size_t>(end - users.begin());
      if (count < least) least = count, fewest = std::span{users}.first(count);
    }
    return fewest;
  }

  [[nodiscard]] bool covers(std::uint32_t s, std::uint32_t r) const {
    const auto& uses = resources_[s].uses;
    auto at = uses.begin();
    for (const auto& [pattern, units] : resources_[r].uses) {
      while (at != uses.end() && at->first < pattern) ++at;
      if (at == uses.end() || at->first != pattern || part(s, at->second) < part(r, units)) return false;
    }
    return true;
  }

  const std::vector<PlanResource>& resources_;
  const ResourceScales& scales_;
  std::vector<std::vector<UsedPart>> users_;  ///< of each pattern, those that it uses most first
};

}  // namespace

std::vector<bool> binding_resources(const std::vector<PlanResource>& resources,
                                    const ResourceScales& scales) {
  return CoverSearch{resources, scales}.run();
}

}  // namespace rackcast
