#include "sim/engine/fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  if (resource.set != no_twins)
    refuse_use(fmt::format("resource \"{}\" is one of twins: its capacity stays", resource.name));
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
  leave_bundle(s.bundle);
  ++generations_[slot];
  free_slots_.push_back(slot);
}

std::uint32_t Network::prepare(const Activity& activity) {
  check(activity);
  const std::uint32_t slot = take_slot();
  Slot& s = activities_[slot];
  s.bundle = join_bundle(activity);
  s.left = activity.work;
  s.rate = 0;
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
  Slot& s = activities_[slot];
  Bundle& bundle = bundles_[s.bundle];
  s.position = static_cast<std::uint32_t>(bundle.flowing.size());
  bundle.flowing.push_back(slot);
  changed_.push_back(s.bundle);
  request_settle();
  if (bundle.flowing.size() > 1) return;
  for (std::uint32_t c = bundle.claims; c < bundle.claims + bundle.claim_count; ++c) {
    claims_[c].position = static_cast<std::uint32_t>(resources_[claims_[c].resource].users.size());
    add_user(claims_[c].resource, {s.bundle, c});
  }
}

void Network::leave(std::uint32_t slot) {
  const Slot& s = activities_[slot];
  Bundle& bundle = bundles_[s.bundle];
  const std::uint32_t moved = bundle.flowing.back();
  bundle.flowing[s.position] = moved;
  activities_[moved].position = s.position;
  bundle.flowing.pop_back();
  if (bundle.flowing.empty()) {
    vacate(bundle);
    return;
  }
  changed_.push_back(s.bundle);
  request_settle();
}

/// Its last activity has left: gives the places on the resources back.
void Network::vacate(Bundle& bundle) {
  for (const Claim& claim : claims_of(bundle)) {
    Resource& resource = resources_[claim.resource];
    resource.served += claim.coefficient * bundle.done;
    remove_user(claim.resource, claim.position);
    touch(claim.resource);
  }
  bundle.done = 0;
}

void Network::add_user(std::uint32_t resource, User user) {
  Resource& to = resources_[resource];
  to.users.push_back(user);
  if (to.set == no_twins || to.users.size() > 1 || is_whole(resource)) return;
  std::vector<std::uint32_t>& exceptions = twin_sets_[to.set].exceptions;
  to.exception = static_cast<std::uint32_t>(exceptions.size());
  exceptions.push_back(resource);
}

void Network::remove_user(std::uint32_t resource, std::uint32_t position) {
  Resource& from = resources_[resource];
  const User moved = from.users.back();
  from.users[position] = moved;
  claims_[moved.claim].position = position;
  from.users.pop_back();
  if (from.set == no_twins || !from.users.empty() || is_whole(resource)) return;
  std::vector<std::uint32_t>& exceptions = twin_sets_[from.set].exceptions;
  const std::uint32_t last = exceptions.back();
  exceptions[from.exception] = last;
  resources_[last].exception = from.exception;
  exceptions.pop_back();
}

double Network::done_since(const Slot& s) const {
  return std::min(s.left,
                  s.rate * (static_cast<double>((engine_.now() - s.since).ticks) * seconds_per_tick_));
}

double Network::served_now(const Resource& resource) const {
  double sum = resource.served;
  for (const User& user : resource.users) {
    const Bundle& bundle = bundles_[user.bundle];
    double done = bundle.done;
    for (const std::uint32_t slot : bundle.flowing) done += done_since(activities_[slot]);
    sum += claims_[user.claim].coefficient * done;
  }
  return sum;
}

double Network::served(ResourceId id) const {
  const Resource& resource = resources_[id.index];
  const double own = served_now(resource);
  return resource.set == no_twins ? own : own + served_now(resources_[twin_sets_[resource.set].whole]);
}

double Network::work_left(ActivityId id) const {
  if (!in_flight(id)) return 0;
  const Slot& s = activities_[id.slot];
  return s.state == State::flowing ? s.left - done_since(s) : s.left;
}

}  // namespace rackcast
