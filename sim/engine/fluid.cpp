#include "sim/engine/fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr std::size_t max_claims = std::numeric_limits<std::uint32_t>::max() / 2;

[[noreturn]] void refuse_use(std::string message) {
  throw Error(std::move(message), {}, {}, ErrorKind::internal);
}

}  // namespace

Network::Network(Engine& engine)
    : engine_(engine),
      sink_(engine.add_sink(*this)),
      seconds_per_tick_(1 / engine.clock().ticks_per_second()) {}

Network::~Network() {
  engine_.remove_sink(sink_);
}

ResourceId Network::add(std::string name, double capacity) {
  if (!(capacity >= 0) || std::isinf(capacity)) {
    refuse_use(fmt::format("resource \"{}\": capacity {:g} is not a finite number >= 0", name, capacity));
  }
  Resource& resource = resources_.emplace_back();
  resource.name = std::move(name);
  resource.capacity = capacity;
  return {static_cast<std::uint32_t>(resources_.size() - 1)};
}

void Network::set_capacity(ResourceId id, double capacity) {
  Resource& resource = resources_[id.index];
  if (!(capacity >= 0) || std::isinf(capacity)) {
    refuse_use(
        fmt::format("resource \"{}\": capacity {:g} is not a finite number >= 0", resource.name, capacity));
  }
  if (capacity == resource.capacity) return;
  resource.capacity = capacity;
  touch(id.index);
}

void Network::check(const Activity& a) const {
  if (!(a.work >= 0) || std::isinf(a.work))
    refuse_use(fmt::format("activity \"{}\": work {:g}", a.name, a.work));
  if (!(a.weight > 0) || std::isinf(a.weight))
    refuse_use(fmt::format("activity \"{}\": weight {:g}", a.name, a.weight));
  if (!(a.rate_cap > 0)) refuse_use(fmt::format("activity \"{}\": rate cap {:g}", a.name, a.rate_cap));
  if (a.uses.size() > max_claims) refuse_use(fmt::format("activity \"{}\" uses too many resources", a.name));
  for (const Usage& use : a.uses) {
    if (use.resource.index >= resources_.size())
      refuse_use(fmt::format("activity \"{}\": unknown resource", a.name));
    if (!(use.coefficient >= 0) || std::isinf(use.coefficient)) {
      refuse_use(fmt::format("activity \"{}\": coefficient {:g} on \"{}\"", a.name, use.coefficient,
                             name(use.resource)));
    }
  }
}

std::uint32_t Network::take_slot() {
  if (free_slots_.empty()) {
    activities_.emplace_back();
    generations_.push_back(0);
    return static_cast<std::uint32_t>(activities_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void Network::give_back(std::uint32_t slot) {
  Slot& s = activities_[slot];
  s.state = State::free;
  s.due = never;
  s.rate = 0;
  ++generations_[slot];
  free_slots_.push_back(slot);
}

/// Keeps the slot's block of claims if it is large enough, so that a steady run allocates nothing.
void Network::store_claims(Slot& slot, std::span<const Usage> uses) {
  slot.claim_count = 0;
  if (uses.empty()) return;
  const auto needed = static_cast<std::uint8_t>(std::bit_width(uses.size() - 1) + 1);  // 0 means no block
  if (slot.claim_class < needed) {
    if (free_claims_.size() <= needed) free_claims_.resize(needed + 1u);
    if (slot.claim_class != 0) free_claims_[slot.claim_class].push_back(slot.claims);
    std::vector<std::uint32_t>& blocks = free_claims_[needed];
    if (blocks.empty()) {
      slot.claims = static_cast<std::uint32_t>(claims_.size());
      claims_.resize(claims_.size() + (std::size_t{1} << (needed - 1)));
    } else {
      slot.claims = blocks.back();
      blocks.pop_back();
    }
    slot.claim_class = needed;
  }
  Claim* const claims = claims_.data() + slot.claims;
  std::uint32_t last = 0;  // the largest resource so far: beyond it nothing needs to be looked for
  for (const Usage& use : uses) {
    if (use.coefficient == 0) continue;
    const std::uint32_t resource = use.resource.index;
    Claim* const end = claims + slot.claim_count;
    Claim* same = end;
    if (resource <= last)
      same = std::find_if(claims, end, [&](const Claim& claim) { return claim.resource == resource; });
    last = std::max(last, resource);
    if (same != end) {
      same->coefficient += use.coefficient;
    } else {
      *end = {resource, 0, use.coefficient};
      ++slot.claim_count;
    }
  }
}

std::uint32_t Network::prepare(const Activity& activity) {
  check(activity);
  const std::uint32_t slot = take_slot();
  Slot& s = activities_[slot];
  store_claims(s, activity.uses);
  s.left = activity.work;
  s.rate = 0;
  s.weight = activity.weight;
  s.rate_cap = activity.rate_cap;
  s.waiters = {};
  if (engine_.tracer() != nullptr) trace_start(slot, activity);
  return slot;
}

ActivityId Network::start(const Activity& activity) {
  const std::uint32_t slot = prepare(activity);
  if (activity.latency == Duration{}) {
    enter(slot);
  } else {
    activities_[slot].state = State::latent;
    plan(slot, engine_.time_after(activity.latency));
  }
  return {slot, generations_[slot]};
}

ActivityId Network::resume(const Activity& activity, const Flight& flight) {
  const std::uint32_t slot = prepare(activity);
  Slot& s = activities_[slot];
  const SimTime now = engine_.now();
  s.left = flight.left;
  s.rate = flight.rate;
  s.since = {now.ticks + flight.since.ticks};
  s.state = flight.latent ? State::latent : State::flowing;
  s.due = never;
  if (flight.due != never) plan(slot, {now.ticks + flight.due.ticks});
  if (!flight.latent) occupy(slot);
  return {slot, generations_[slot]};
}

Flight Network::flight(ActivityId id) const {
  const Slot& s = activities_[id.slot];
  const SimTime now = engine_.now();
  const SimTime due = s.due == never ? never : s.due - now;
  if (s.state == State::latent) return {s.left, 0, {}, due, true};
  return {s.left, s.rate, s.since - now, due, false};
}

/// The latency is over: takes its place on the resources.
void Network::enter(std::uint32_t slot) {
  Slot& s = activities_[slot];
  s.state = State::flowing;
  s.since = engine_.now();
  s.due = never;
  occupy(slot);
}

void Network::occupy(std::uint32_t slot) {
  const Slot& s = activities_[slot];
  for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
    std::vector<User>& users = resources_[claims_[c].resource].users;
    claims_[c].position = static_cast<std::uint32_t>(users.size());
    users.push_back({slot, c});
  }
  arrived_.push_back(slot);
  request_settle();
}

void Network::leave(std::uint32_t slot) {
  Slot& s = activities_[slot];
  for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
    Resource& resource = resources_[claims_[c].resource];
    const User moved = resource.users.back();
    resource.users[claims_[c].position] = moved;
    claims_[moved.claim].position = claims_[c].position;
    resource.users.pop_back();
    touch(claims_[c].resource);
  }
}

double Network::done_since(const Slot& s) const {
  return std::min(s.left,
                  s.rate * (static_cast<double>((engine_.now() - s.since).ticks) * seconds_per_tick_));
}

double Network::served(ResourceId id) const {
  double sum = resources_[id.index].served;
  for (const User& user : resources_[id.index].users) {
    sum += claims_[user.claim].coefficient * done_since(activities_[user.slot]);
  }
  return sum;
}

double Network::work_left(ActivityId id) const {
  if (!in_flight(id)) return 0;
  const Slot& s = activities_[id.slot];
  return s.state == State::flowing ? s.left - done_since(s) : s.left;
}

}  // namespace rackcast
