#include "models/graph/step_graph.hpp"

#include <algorithm>

namespace rackcast {
std::uint32_t StepGraph::add_stream(std::string group, std::string row) {
  Row& made = streams_.emplace_back();
  made.script = Script{group + ", " + row};
  made.group = std::move(group);
  made.row = std::move(row);
  return static_cast<std::uint32_t>(streams_.size() - 1);
}

std::string StepGraph::name(std::uint32_t stream) const {
  const Row& row = streams_[stream];
  return row.group.empty() ? row.row : row.group + ", " + row.row;
}

StepChannel StepGraph::add_channel(std::uint32_t stream, std::uint32_t permits) {
  Row& to = streams_[stream];
  to.script.permits(to.channels, permits);
  return {stream, to.channels++};
}

ResourceId StepGraph::add_resource(std::string name, double capacity, double lost_if_held) {
  resources_.push_back({std::move(name), capacity, lost_if_held});
  return {static_cast<std::uint32_t>(resources_.size() - 1)};
}

void StepGraph::Stream::note(std::string name, StepPartOf part) {
  Row& row = graph_.streams_[number_];
  row.labels.resize(row.script.ops().size());
  row.labels.back() = {std::move(name), part};
}

StepGraph::Stream& StepGraph::Stream::run(const StepTask& task) {
  if (!(task.time > Duration{0})) return *this;
  if (!task.takes.empty() || !task.holds.empty()) {
    StepFlow flow{task.name, task.part, {.work = task.time.base(), .rate_cap = 1}, {}, task.holds};
    for (const ResourceShare& taken : task.takes)
      if (taken.share > 0) flow.through.push_back({taken.resource, taken.share});
    return run(flow);
  }
  Row& row = graph_.streams_[number_];
  row.script.sleep(static_cast<std::uint32_t>(row.durations.size()), task.name);
  row.durations.push_back(task.time);
  note(task.name, task.part);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::run(const StepFlow& flow) {
  if (!(flow.arguments.work > 0 || flow.arguments.latency > Duration{0})) return *this;
  Row& row = graph_.streams_[number_];
  row.script.flow(static_cast<std::uint32_t>(row.flows.size()), flow.name);
  row.flows.push_back(flow);
  note(flow.name, flow.part);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::wait(StepChannel channel, const StepWait& wait, std::uint64_t permits) {
  Row& row = graph_.streams_[number_];
  row.script.wait(channel.number, permits, wait.name);
  note(wait.name, wait.part);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::signal(StepChannel channel) {
  Row& row = graph_.streams_[number_];
  const auto same = std::ranges::find_if(row.signals, [&](const StepChannel& c) {
    return c.stream == channel.stream && c.number == channel.number;
  });
  row.script.signal(static_cast<std::uint32_t>(same - row.signals.begin()));
  if (same == row.signals.end()) row.signals.push_back(channel);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::repeat(std::uint64_t laps) {
  graph_.streams_[number_].script.repeat(laps, true);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::end() {
  graph_.streams_[number_].script.end();
  return *this;
}

StepGraph::Stream& StepGraph::Stream::mark(std::uint32_t label) {
  graph_.streams_[number_].script.mark(label);
  return *this;
}

StepGraph::Stream& StepGraph::Stream::daemon() {
  graph_.streams_[number_].script.daemon();
  return *this;
}

FlowProgram StepGraph::lowered() const {
  FlowProgram out;
  for (const Shared& r : resources_) out.add_resources(r.name, 1, r.capacity, r.lost_if_held);
  out.twins = twins_;
  for (const Row& row : streams_) {
    ProgramActor actor;
    actor.script = out.add_script(row.script);
    actor.first_duration = static_cast<std::uint32_t>(out.durations.size());
    for (const Duration time : row.durations) out.add_duration(time);
    actor.first_flow = static_cast<std::uint32_t>(out.flows.size());
    for (const StepFlow& flow : row.flows) out.add_flow(flow.arguments, flow.through, flow.holds);
    out.add_actor(actor);
  }
  for (std::uint32_t from = 0; from < streams_.size(); ++from)
    for (std::uint32_t slot = 0; slot < streams_[from].signals.size(); ++slot)
      out.add_signal({from, slot, streams_[from].signals[slot].stream, streams_[from].signals[slot].number});
  return out;
}

}  // namespace rackcast
