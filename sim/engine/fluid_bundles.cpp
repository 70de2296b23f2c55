// Which activities are alike (Network::Bundle in fluid.hpp). A bundle exists while one of its activities is
// in flight. It is found by the hash of its content, and compared.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/engine/fluid.hpp"

namespace rackcast {

namespace {

constexpr std::size_t least_heads = 64;

/// Spreads the bits: the finalizer of splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014).
constexpr std::uint64_t spread(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

/// Makes claims of uses: one for each resource, none where nothing is used.
void Network::gather_claims(std::span<const Usage> uses) {
  asked_.clear();
  std::uint32_t last = 0;  // the largest resource so far: beyond it nothing needs to be looked for
  for (const Usage& use : uses) {
    if (use.coefficient == 0) continue;
    const std::uint32_t resource = use.resource.index;
    auto same = asked_.end();
    if (resource <= last) same = std::ranges::find(asked_, resource, &Claim::resource);
    last = std::max(last, resource);
    if (same != asked_.end()) {
      same->coefficient += use.coefficient;
    } else {
      asked_.push_back({resource, 0, use.coefficient});
    }
  }
}

std::uint64_t Network::hash_of(const Activity& activity) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t sum =
      std::bit_cast<std::uint64_t>(activity.weight) * odd + std::bit_cast<std::uint64_t>(activity.rate_cap);
  for (const Claim& claim : asked_)
    sum = (std::rotl(sum, 23) ^ std::bit_cast<std::uint64_t>(claim.coefficient)) * odd + claim.resource;
  return spread(sum);
}

bool Network::is_of(const Bundle& bundle, const Activity& activity) const {
  if (bundle.weight != activity.weight || bundle.rate_cap != activity.rate_cap) return false;
  return std::ranges::equal(claims_of(bundle), asked_, [](const Claim& a, const Claim& b) {
    return a.resource == b.resource && a.coefficient == b.coefficient;
  });
}

std::uint32_t Network::join_bundle(const Activity& activity) {
  gather_claims(activity.uses);
  if (!twin_sets_.empty()) claim_sets();
  const std::uint64_t hash = hash_of(activity);
  if (bundle_heads_.size() <= bundles_.size()) grow_bundle_heads();
  std::uint32_t number = bundle_heads_[hash % bundle_heads_.size()];
  while (number != no_bundle && !(bundles_[number].hash == hash && is_of(bundles_[number], activity)))
    number = bundles_[number].next;
  if (number == no_bundle) number = new_bundle(activity, hash);
  ++bundles_[number].activities;
  return number;
}

std::uint32_t Network::new_bundle(const Activity& activity, std::uint64_t hash) {
  if (free_bundles_.empty()) {
    free_bundles_.push_back(static_cast<std::uint32_t>(bundles_.size()));
    bundles_.emplace_back();
  }
  const std::uint32_t number = free_bundles_.back();
  free_bundles_.pop_back();
  Bundle& bundle = bundles_[number];
  bundle.weight = activity.weight;
  bundle.rate_cap = activity.rate_cap;
  bundle.hash = hash;
  bundle.next = std::exchange(bundle_heads_[hash % bundle_heads_.size()], number);
  store_claims(bundle);
  return number;
}

/// Keeps the bundle's block of claims if it is large enough, so that a steady run allocates nothing.
void Network::store_claims(Bundle& bundle) {
  bundle.claim_count = static_cast<std::uint32_t>(asked_.size());
  if (asked_.empty()) return;
  const auto needed = static_cast<std::uint8_t>(std::bit_width(asked_.size() - 1) + 1);  // 0 means no block
  if (bundle.claim_class < needed) {
    if (free_claims_.size() <= needed) free_claims_.resize(needed + 1u);
    if (bundle.claim_class != 0) free_claims_[bundle.claim_class].push_back(bundle.claims);
    std::vector<std::uint32_t>& blocks = free_claims_[needed];
    if (blocks.empty()) {
      bundle.claims = static_cast<std::uint32_t>(claims_.size());
      claims_.resize(claims_.size() + (std::size_t{1} << (needed - 1)));
    } else {
      bundle.claims = blocks.back();
      blocks.pop_back();
    }
    bundle.claim_class = needed;
  }
  std::ranges::copy(asked_, claims_of(bundle).begin());
}

/// One activity of the bundle is over.
void Network::leave_bundle(std::uint32_t number) {
  Bundle& bundle = bundles_[number];
  if (--bundle.activities > 0) return;
  std::uint32_t* at = &bundle_heads_[bundle.hash % bundle_heads_.size()];
  while (*at != number) at = &bundles_[*at].next;
  *at = bundle.next;
  free_bundles_.push_back(number);
}

/// At least as many heads as bundles will be.
void Network::grow_bundle_heads() {
  bundle_heads_.assign(std::max(least_heads, 2 * bundle_heads_.size()), no_bundle);
  for (std::uint32_t number = 0; number < bundles_.size(); ++number) {
    Bundle& bundle = bundles_[number];
    if (bundle.activities > 0)
      bundle.next = std::exchange(bundle_heads_[bundle.hash % bundle_heads_.size()], number);
  }
}

}  // namespace rackcast
