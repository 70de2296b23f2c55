#include "scenarios/format/campaign_spec.hpp"

#include <fmt/format.h>

#include <array>

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 3> kPolicies{"fifo", "backfill", "fair_share"};
constexpr std::array<std::string_view, 2> kPlacements{"compact", "first_fit"};
constexpr std::array<std::string_view, 5> kKinds{"run", "team", "ensemble", "retraining", "recorded"};
constexpr std::size_t kMostStreams = 64;
constexpr Duration kLongest{200 * 365.25 * 86400};

SchedulerSpec read_scheduler(const Json& json) {
  ObjectReader in{json};
  SchedulerSpec out;
  if (in.has("policy")) out.policy = static_cast<SchedulerPolicy>(in.choice("policy", kPolicies));
  if (in.has("placement")) out.placement = static_cast<Placement>(in.choice("placement", kPlacements));
  out.nodes_per_leaf = static_cast<int>(in.integer_or("nodes_per_leaf", 0, 1, 100'000));
  if (in.has("across_leaves")) out.across_leaves = in.number("across_leaves", 1, 100);
  out.preemption = in.boolean_or("preemption", false);
  out.half_life = in.quantity_or<Duration>("half_life", out.half_life);
  in.finish();
  return out;
}

void read_team(ObjectReader& in, StreamSpec& out) {
  constexpr std::array<std::string_view, 2> arrivals{"random", "regular"};
  out.users = static_cast<int>(in.integer_or("users", 1, 1, 100'000));
  out.experiments_per_day = in.number("experiments_per_day", 1e-3, 10'000);
  out.hours = in.quantity_or<Duration>("hours", out.hours);
  if (out.hours > Duration{86400}) in.require("hours").fail("a day has 24 hours", "for example \"10 h\"");
  out.regular = in.has("arrivals") && in.choice("arrivals", arrivals) == 1;
}

void read_ensemble(ObjectReader& in, StreamSpec& out) {
  out.members = static_cast<int>(in.integer("members", 1, 100'000));
  out.stop_after = in.number_or("stop_after", 1, 1e-6, 1);
  out.keep = in.number_or("keep", 1, 0, 1);
}

void read_work(ObjectReader& in, StreamSpec& out) {
  out.workload = in.string_or("workload", "");
  out.nodes = static_cast<int>(in.integer_or("nodes", 1, 1, 100'000));
  if (in.has("work")) out.work = in.quantity<Duration>("work");
  if (in.has("samples_per_s")) out.rate = Frequency{in.number("samples_per_s", 1e-9, 1e12)};
  if (out.work && out.rate)
    in.require("work").fail("\"work\" and \"samples_per_s\" say the same", "remove one of them");
  if (out.work && *out.work > kLongest) in.require("work").fail("a job of more than 200 years");
}

StreamSpec read_stream(const Json& json) {
  ObjectReader in{json};
  StreamSpec out;
  out.where = json.where();
  out.kind = static_cast<StreamKind>(in.choice("kind", kKinds));
  out.name = in.string_or("name", to_string(out.kind));
  out.priority = static_cast<int>(in.integer_or("priority", 0, -1000, 1000));
  out.preemptible = in.boolean_or("preemptible", true);
  out.at = in.quantity_or<Duration>("at", Duration{0});
  if (out.kind == StreamKind::recorded) {
    out.file = in.string("file");
    in.finish();
    return out;
  }
  read_work(in, out);
  out.limit_factor = in.number_or("limit_factor", out.limit_factor, 1, 1000);
  if (out.kind == StreamKind::team) read_team(in, out);
  if (out.kind == StreamKind::ensemble) read_ensemble(in, out);
  if (out.kind == StreamKind::retraining) out.every = in.quantity<Duration>("every");
  if (out.kind == StreamKind::retraining && out.work)
    in.require("work").fail("the work of a retraining grows with the data",
                            "give \"samples_per_s\", or neither");
  in.finish();
  return out;
}

}  // namespace

std::string_view to_string(SchedulerPolicy policy) {
  return kPolicies[static_cast<std::size_t>(policy)];
}
std::string_view to_string(StreamKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

CampaignSpec read_campaign(const Json& json) {
  ObjectReader in{json};
  CampaignSpec out;
  out.where = json.where();
  out.duration = in.quantity<Duration>("duration");
  if (out.duration > kLongest) in.require("duration").fail("a campaign of more than 200 years");
  out.warm_up = in.quantity_or<Duration>("warm_up", Duration{0});
  if (out.warm_up >= out.duration)
    in.require("warm_up").fail("nothing of the campaign is left after the warm-up");
  if (const Json* scheduler = in.find("scheduler")) out.scheduler = read_scheduler(*scheduler);
  const Json& streams = in.require("streams");
  for (const Json& one : streams.array()) out.streams.push_back(read_stream(one));
  if (out.streams.empty()) streams.fail("at least one stream of jobs is needed");
  if (out.streams.size() > kMostStreams) streams.fail("more than 64 streams");
  in.finish();
  return out;
}

}  // namespace rackcast
