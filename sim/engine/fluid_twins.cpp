// Sets of resources that activities load alike (Network::TwinSet in fluid.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/engine/fluid.hpp"

namespace rackcast {

void Network::set_twins(std::span<const ResourceId> twins) {
  if (twins.size() < 2) return;
  const Resource first = resources_[twins.front().index];
  for (const ResourceId id : twins) {
    const Resource& twin = resources_[id.index];
    if (twin.capacity != first.capacity || twin.set != no_twins || !twin.users.empty())
      throw Error{fmt::format("resource \"{}\" cannot be a twin of \"{}\"", twin.name, first.name),
                  {},
                  {},
                  ErrorKind::internal};
  }
  const auto number = static_cast<std::uint32_t>(twin_sets_.size());
  TwinSet& set = twin_sets_.emplace_back();
  set.whole = add(first.name, first.capacity).index;
  resources_[set.whole].set = number;
  for (const ResourceId id : twins) {
    set.twins.push_back(id.index);
    resources_[id.index].set = number;
  }
}

/// Finds the coefficient that most twins of each set have, if more than half have one (R. Boyer, J. Moore,
/// "MJRTY, a fast majority vote algorithm", 1991), and counts them.
void Network::vote_on_sets() {
  sets_asked_.clear();
  ++asks_;
  for (const Claim& claim : asked_) {
    Resource& resource = resources_[claim.resource];
    resource.asked = asks_;
    if (resource.set == no_twins) continue;
    TwinSet& set = twin_sets_[resource.set];
    if (set.claims++ == 0) sets_asked_.push_back(resource.set);
    if (set.votes == 0) set.coefficient = claim.coefficient;
    set.votes += claim.coefficient == set.coefficient ? 1 : -1;
  }
  for (const Claim& claim : asked_) {
    if (resources_[claim.resource].set == no_twins) continue;
    TwinSet& set = twin_sets_[resources_[claim.resource].set];
    if (claim.coefficient == set.coefficient) ++set.agree;
  }
}

/// Replaces claims on most twins of a set by one on the set. The others claim the difference; twins that are
/// not claimed at all, what the set takes, so that nothing is left.
void Network::claim_sets() {
  vote_on_sets();
  of_sets_.clear();
  for (const Claim& claim : asked_) {
    const std::uint32_t number = resources_[claim.resource].set;
    if (number == no_twins || !twin_sets_[number].is_mostly_alike()) {
      of_sets_.push_back(claim);
    } else if (claim.coefficient != twin_sets_[number].coefficient) {
      of_sets_.push_back({claim.resource, 0, claim.coefficient - twin_sets_[number].coefficient});
    }
  }
  for (const std::uint32_t number : sets_asked_) {
    TwinSet& set = twin_sets_[number];
    if (set.is_mostly_alike()) {
      of_sets_.push_back({set.whole, 0, set.coefficient});
      for (const std::uint32_t twin : set.twins) {
        if (set.claims == set.twins.size()) break;
        if (resources_[twin].asked != asks_) of_sets_.push_back({twin, 0, -set.coefficient});
      }
    }
    set.claims = set.agree = 0;
    set.votes = 0;
  }
  asked_.swap(of_sets_);
}

}  // namespace rackcast
