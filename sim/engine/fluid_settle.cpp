// The moving part of the network: ends, touched components, new rates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/engine/fluid.hpp"

namespace rackcast {

namespace {

constexpr std::uint64_t settle_token = (std::uint64_t{1} << 48) - 1;
constexpr double horizon_ticks = 9e18;  // an end beyond the clock's range is no end
constexpr std::size_t described_resources = 4;
constexpr std::uint32_t not_listed = 0xffffffff;  // in the problem

}  // namespace

/// An entry of the queue comes up. If the activity ends later than the entry says, the entry moves on.
bool Network::confirm(std::uint64_t token, SimTime at) {
  if (token == settle_token) return true;
  const auto slot = static_cast<std::uint32_t>(token);
  Slot& s = activities_[slot];
  if (s.entry != at) return false;  // an earlier entry has taken over
  if (s.due == at) return true;
  s.entry = never;
  if (s.due != never) plan(slot, s.due);
  return false;
}

void Network::fire(std::uint64_t token) {
  if (token == settle_token) {
    settle();
    return;
  }
  const auto slot = static_cast<std::uint32_t>(token);
  Slot& s = activities_[slot];
  if (!confirm(token, engine_.now())) return;
  s.entry = never;
  if (s.state == State::latent) {
    enter(slot);
  } else {
    end(slot);
  }
}

void Network::plan(std::uint32_t slot, SimTime due) {
  Slot& s = activities_[slot];
  s.due = due;
  if (due < s.entry) {
    s.entry = due;
    engine_.schedule(due, sink_, slot, Priority::urgent);
  }
}

void Network::touch(std::uint32_t resource) {
  if (resources_[resource].touched) return;
  resources_[resource].touched = true;
  touched_.push_back(resource);
  request_settle();
}

void Network::request_settle() {
  if (settle_requested_) return;
  settle_requested_ = true;
  engine_.schedule(engine_.now(), sink_, settle_token, Priority::settle);
}

/// Books the work done since the last change of rate.
void Network::book(Slot& s, double done) {
  s.left -= done;
  s.since = engine_.now();
  bundles_[s.bundle].done += done;
}

void Network::end(std::uint32_t slot) {
  Slot& s = activities_[slot];
  if (s.state == State::flowing) {
    // Completed means all of it: the end was rounded to a tick, the work is not.
    book(s, s.left);
    leave(slot);
  }
  if (engine_.tracer() != nullptr) trace_end(slot);
  while (WaitNode* node = s.waiters.pop()) engine_.wake(*node);
  give_back(slot);
}

void Network::settle() {
  settle_requested_ = false;
  ++round_;
  for (const std::uint32_t bundle : changed_) settle_around(bundle);
  for (const std::uint32_t r : touched_) {
    resources_[r].touched = false;
    settle_users(r);
  }
  if (engine_.tracer() != nullptr) trace_usages();
  changed_.clear();
  touched_.clear();
}

/// All users of a resource, or of a set, are in one component: the first stands for it. Where a set has no
/// users any more, its twins are no longer tied together.
void Network::settle_users(std::uint32_t number) {
  const Resource& resource = resources_[number];
  if (!resource.users.empty()) {
    settle_around(resource.users.front().bundle);
  } else if (const Resource* whole = used_whole(resource)) {
    settle_around(whole->users.front().bundle);
  } else if (is_whole(number)) {
    for (const std::uint32_t twin : twin_sets_[resource.set].exceptions)
      settle_around(resources_[twin].users.front().bundle);
  }
}

bool Network::is_alone(const Bundle& bundle) const {
  return std::ranges::all_of(claims_of(bundle), [&](const Claim& claim) {
    const Resource& resource = resources_[claim.resource];
    return resource.users.size() == 1 && used_whole(resource) == nullptr;
  });
}

/// New rates for the component of a bundle, unless it has been solved in this round.
void Network::settle_around(std::uint32_t number) {
  Bundle& bundle = bundles_[number];
  if (bundle.flowing.empty() || bundle.mark == round_) return;
  if (is_alone(bundle)) {
    bundle.mark = round_;
    const auto count = static_cast<double>(bundle.flowing.size());
    double rate = bundle.rate_cap;
    for (const Claim& claim : claims_of(bundle))
      rate = std::min(rate, resources_[claim.resource].capacity / (count * claim.coefficient));
    set_rates(bundle, rate);
    return;
  }
  collect(number);
  write_problem();
  solved_ += {1, problem_.weight.size(), problem_.resource.size()};
  const std::vector<double>& rates = solver_.solve(problem_);
  for (std::size_t i = 0; i < component_.size(); ++i) set_rates(bundles_[component_[i]], rates[i]);
}

const Network::Resource* Network::used_whole(const Resource& resource) const {
  if (resource.set == no_twins) return nullptr;
  const Resource& whole = resources_[twin_sets_[resource.set].whole];
  return whole.users.empty() ? nullptr : &whole;
}

/// Walks the component breadth first.
void Network::collect(std::uint32_t number) {
  component_.assign(1, number);
  bundles_[number].mark = round_;
  for (std::size_t next = 0; next < component_.size(); ++next)
    for (const Claim& claim : claims_of(bundles_[component_[next]])) collect_users(claim.resource);
}

/// Users of a set use its twins, and those of a twin meet them there.
void Network::collect_users(std::uint32_t number) {
  Resource& resource = resources_[number];
  if (resource.mark == round_) return;
  resource.mark = round_;
  resource.local = not_listed;
  for (const User& user : resource.users) {
    if (bundles_[user.bundle].mark == round_) continue;
    bundles_[user.bundle].mark = round_;
    component_.push_back(user.bundle);
  }
  if (used_whole(resource) == nullptr) return;
  const TwinSet& set = twin_sets_[resource.set];
  collect_users(set.whole);
  if (set.whole != number) return;
  for (const std::uint32_t twin : set.exceptions) collect_users(twin);
}

/// Writes the component down as a problem of its own, bundles by their content (of one hash, by number).
void Network::write_problem() {
  std::ranges::sort(component_, {}, [&](std::uint32_t b) { return std::pair{bundles_[b].hash, b}; });
  problem_.clear();
  for (const std::uint32_t number : component_) {
    const Bundle& bundle = bundles_[number];
    const auto count = static_cast<double>(bundle.flowing.size());
    problem_.add_activity(bundle.weight, bundle.rate_cap);
    for (const Claim& claim : claims_of(bundle))
      problem_.add_usage(list(claim.resource), count * claim.coefficient);
  }
}

/// The number of a resource in the problem, where it is put if it is not there yet.
std::uint32_t Network::list(std::uint32_t number) {
  Resource& resource = resources_[number];
  if (resource.local != not_listed) return resource.local;
  const std::uint32_t whole = used_whole(resource) == nullptr ? number : twin_sets_[resource.set].whole;
  const std::uint32_t set = whole == number ? no_set : list(whole);
  double capacity = resource.capacity;
  if (is_whole(number) && twin_sets_[resource.set].exceptions.size() == twin_sets_[resource.set].twins.size())
    capacity = no_cap;
  resource.local = static_cast<std::uint32_t>(problem_.capacity.size());
  problem_.capacity.push_back(capacity);
  if (!twin_sets_.empty()) problem_.part_of.push_back(set);
  return resource.local;
}

void Network::set_rates(const Bundle& bundle, double rate) {
  for (const std::uint32_t slot : bundle.flowing) set_rate(slot, rate);
}

void Network::set_rate(std::uint32_t slot, double rate) {
  Slot& s = activities_[slot];
  if (rate == s.rate && s.due != never) return;
  book(s, done_since(s));
  s.rate = rate;
  if (s.left <= 0 || rate == no_cap) {
    plan(slot, s.since);
    return;
  }
  const double ticks = s.left / rate * engine_.clock().ticks_per_second();
  if (!(ticks < horizon_ticks - static_cast<double>(s.since.ticks))) {
    s.due = never;
    return;
  }
  plan(slot, {s.since.ticks + std::llround(ticks)});
}

bool Network::outlasts_clock(std::uint64_t slot) const {
  const Slot& s = activities_[static_cast<std::size_t>(slot)];
  return s.state == State::flowing && s.due == never && s.rate > 0;
}

/// Names what stalls it, or what holds it up most where it would go on past the end of the clock.
std::string Network::describe(std::uint64_t slot) const {
  const Slot& s = activities_[static_cast<std::size_t>(slot)];
  std::string text = fmt::format("an activity with {:g} of work left", s.left);
  const Claim* tightest = nullptr;
  std::size_t named = 0;
  for (const Claim& claim : claims_of(bundles_[s.bundle])) {
    const Resource& resource = resources_[claim.resource];
    if (resource.capacity > 0) {
      const auto rate = [&](const Claim& of) {
        return resources_[of.resource].capacity / of.coefficient;
      };
      if (claim.coefficient > 0 && (tightest == nullptr || rate(claim) < rate(*tightest))) tightest = &claim;
      continue;
    }
    if (++named > described_resources) return text + ", ...";
    text += fmt::format("{} \"{}\"", named == 1 ? ", stalled on" : ",", resource.name);
  }
  if (named == 0 && outlasts_clock(slot)) {
    text += fmt::format(", which at {:g} a second takes {:.3g} years", s.rate,
                        s.left / s.rate / (365.25 * 86400));
    if (tightest != nullptr) text += fmt::format(", held up by \"{}\"", resources_[tightest->resource].name);
  }
  return text;
}

}  // namespace rackcast
