// The moving part of the network: ends, touched components, new rates.
#include <fmt/format.h>

#include <cmath>

#include "sim/engine/fluid.hpp"

namespace rackcast {

namespace {

constexpr std::uint64_t settle_token = (std::uint64_t{1} << 48) - 1;
constexpr double horizon_ticks = 9e18;  // an end beyond the clock's range is no end
constexpr std::size_t described_resources = 4;

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
  for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
    resources_[claims_[c].resource].served += claims_[c].coefficient * done;
  }
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
  for (const std::uint32_t slot : arrived_) settle_around(slot);
  for (const std::uint32_t r : touched_) {
    resources_[r].touched = false;
    // All users of a resource are in one component: the first stands for it.
    if (!resources_[r].users.empty()) settle_around(resources_[r].users.front().slot);
  }
  if (engine_.tracer() != nullptr) trace_usages();
  arrived_.clear();
  touched_.clear();
}

bool Network::is_alone(const Slot& s) const {
  for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
    if (resources_[claims_[c].resource].users.size() != 1) return false;
  }
  return true;
}

/// New rates for the component of an activity, unless it has been solved in this round.
void Network::settle_around(std::uint32_t slot) {
  Slot& s = activities_[slot];
  if (s.state != State::flowing || s.mark == round_) return;
  if (is_alone(s)) {
    s.mark = round_;
    double rate = s.rate_cap;
    for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
      rate = std::min(rate, resources_[claims_[c].resource].capacity / claims_[c].coefficient);
    }
    set_rate(slot, rate);
    return;
  }
  collect(slot);
  const std::vector<double>& rates = solver_.solve(problem_);
  for (std::size_t i = 0; i < component_.size(); ++i) set_rate(component_[i], rates[i]);
}

/// Walks the component breadth first and writes it down as a problem of its own.
void Network::collect(std::uint32_t slot) {
  component_.clear();
  problem_.clear();
  component_.push_back(slot);
  activities_[slot].mark = round_;
  for (std::size_t next = 0; next < component_.size(); ++next) {
    const Slot& s = activities_[component_[next]];
    problem_.add_activity(s.weight, s.rate_cap);
    for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
      Resource& resource = resources_[claims_[c].resource];
      if (resource.mark != round_) {
        resource.mark = round_;
        resource.local = static_cast<std::uint32_t>(problem_.capacity.size());
        problem_.capacity.push_back(resource.capacity);
        for (const User& user : resource.users) {
          if (activities_[user.slot].mark == round_) continue;
          activities_[user.slot].mark = round_;
          component_.push_back(user.slot);
        }
      }
      problem_.add_usage(resource.local, claims_[c].coefficient);
    }
  }
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
  const Slot& s = activities_[slot];
  return s.state == State::flowing && s.due == never && s.rate > 0;
}

/// Names what stalls it, or what holds it up most where it would go on past the end of the clock.
std::string Network::describe(std::uint64_t slot) const {
  const Slot& s = activities_[slot];
  std::string text = fmt::format("an activity with {:g} of work left", s.left);
  const Claim* tightest = nullptr;
  std::size_t named = 0;
  for (std::uint32_t c = s.claims; c < s.claims + s.claim_count; ++c) {
    const Resource& resource = resources_[claims_[c].resource];
    if (resource.capacity > 0) {
      const auto rate = [&](const Claim& claim) {
        return resources_[claim.resource].capacity / claim.coefficient;
      };
      if (tightest == nullptr || rate(claims_[c]) < rate(*tightest)) tightest = &claims_[c];
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
