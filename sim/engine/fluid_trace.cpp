// What the network tells the tracer. Called only with a tracer.
#include "sim/engine/fluid.hpp"

namespace rackcast {

void Network::trace_start(std::uint32_t slot, const Activity& activity) {
  if (traced_.size() <= slot) traced_.resize(slot + 1u);
  traced_[slot] = {std::string(activity.name.empty() ? "activity" : activity.name), engine_.now(),
                   activity.work, activity.track};
}

void Network::trace_end(std::uint32_t slot) {
  if (slot >= traced_.size()) return;  // started before there was a tracer
  const Traced& traced = traced_[slot];
  const TraceArg args[] = {{"work", traced.work}};
  Tracer& tracer = *engine_.tracer();
  if (traced.track.index != 0) {
    tracer.span(traced.track, traced.name, traced.start, engine_.now(), args);
  } else {
    tracer.overlapping_span(tracer.track("Flows", "all flows"), traced.name, traced.start, engine_.now(),
                            args);
  }
}

/// Counters of the resources whose use may have changed in this round, in order of their numbers.
void Network::trace_usages() {
  const auto usage_of = [&](const Resource& resource) {
    double usage = 0;
    for (const User& user : resource.users) {
      const Bundle& bundle = bundles_[user.bundle];
      usage += claims_[user.claim].coefficient * static_cast<double>(bundle.flowing.size()) *
               activities_[bundle.flowing.front()].rate;
    }
    return usage;
  };
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    Resource& resource = resources_[r];
    if (is_whole(r)) continue;
    double usage = usage_of(resource);
    if (const Resource* whole = used_whole(resource)) usage += usage_of(*whole);
    if (usage == resource.usage) continue;
    resource.usage = usage;
    engine_.tracer()->counter(engine_.tracer()->track("Share in use", resource.name), engine_.now(),
                              resource.capacity > 0 ? usage / resource.capacity : 0);
  }
}

}  // namespace rackcast
