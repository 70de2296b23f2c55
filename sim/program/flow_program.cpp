#include "sim/program/flow_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// The number of a resource that is the only one of its group, and goes by the group's name.
constexpr std::uint32_t alone_in_group = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse_program(std::string message) {
  throw Error(std::move(message), {}, {}, ErrorKind::internal);
}

}  // namespace

Op& Script::add(Op::Kind kind, std::uint32_t slot) {
  Op& op = ops_.emplace_back();
  op.kind = kind;
  op.slot = slot;
  return op;
}

Script& Script::sleep(std::uint32_t slot, std::string name) {
  add(Op::Kind::sleep, slot).name = std::move(name);
  durations_ = std::max(durations_, slot + 1);
  return *this;
}

Script& Script::flow(std::uint32_t slot, std::string name) {
  add(Op::Kind::flow, slot).name = std::move(name);
  flows_ = std::max(flows_, slot + 1);
  return *this;
}

Script& Script::signal(std::uint32_t slot) {
  add(Op::Kind::signal, slot);
  signals_ = std::max(signals_, slot + 1);
  return *this;
}

Script& Script::wait(std::uint32_t channel, std::uint64_t permits, std::string name) {
  if (channel >= most_channels) refuse_program(fmt::format("script \"{}\" has too many channels", name_));
  Op& op = add(Op::Kind::wait, channel);
  op.count = permits;
  op.name = std::move(name);
  return *this;
}

Script& Script::repeat(std::uint64_t laps, bool steady) {
  if (open_.size() == most_nested_loops)
    refuse_program(fmt::format("script \"{}\": loops nest too deep", name_));
  Op& op = add(Op::Kind::repeat, static_cast<std::uint32_t>(open_.size()));
  op.count = laps;
  op.steady = steady;
  open_.push_back(static_cast<std::uint32_t>(ops_.size() - 1));
  return *this;
}

Script& Script::end() {
  if (open_.empty()) refuse_program(fmt::format("script \"{}\": an end without a repeat", name_));
  add(Op::Kind::end, open_.back());
  ops_[open_.back()].past = static_cast<std::uint32_t>(ops_.size());
  open_.pop_back();
  return *this;
}

Script& Script::mark(std::uint32_t label) {
  add(Op::Kind::mark, label);
  return *this;
}

Script& Script::permits(std::uint32_t channel, std::uint32_t count) {
  if (channel >= most_channels) refuse_program(fmt::format("script \"{}\" has too many channels", name_));
  permits_[channel] = count;
  return *this;
}

std::uint32_t FlowProgram::add_script(Script script) {
  if (!script.complete())
    refuse_program(fmt::format("script \"{}\": a repeat without an end", script.name()));
  scripts.push_back(std::move(script));
  return static_cast<std::uint32_t>(scripts.size() - 1);
}

ResourceId FlowProgram::add_resources(std::string group, std::uint32_t count, double capacity,
                                      double lost_if_held) {
  const ResourceId first{static_cast<std::uint32_t>(resources.size())};
  const auto name = static_cast<std::uint32_t>(resource_groups.size());
  resource_groups.push_back(std::move(group));
  for (std::uint32_t i = 0; i < count; ++i)
    resources.push_back({capacity, name, count == 1 ? alone_in_group : i, 1, lost_if_held});
  return first;
}

std::uint32_t FlowProgram::add_flow(const FlowArguments& arguments, std::span<const Usage> through,
                                    std::span<const ResourceId> held) {
  const std::size_t first = uses.size();
  constexpr std::size_t few = 16;                        // that are faster to look through than to look up
  std::unordered_map<std::uint32_t, std::size_t> place;  // of each resource in uses, if they are many
  const auto place_of = [&](ResourceId resource) {
    if (through.size() > few) return place.emplace(resource.index, uses.size()).first->second;
    std::size_t i = first;
    while (i < uses.size() && uses[i].resource != resource) ++i;
    return i;
  };
  for (const Usage& use : through) {
    const std::size_t known = place_of(use.resource);
    if (known == uses.size()) {
      uses.push_back(use);
    } else {
      uses[known].coefficient += use.coefficient;
    }
  }
  flows.push_back({arguments, static_cast<std::uint32_t>(first),
                   static_cast<std::uint32_t>(uses.size() - first), static_cast<std::uint32_t>(holds.size()),
                   static_cast<std::uint32_t>(held.size())});
  holds.insert(holds.end(), held.begin(), held.end());
  return static_cast<std::uint32_t>(flows.size() - 1);
}

std::uint32_t FlowProgram::add_duration(Duration duration) {
  durations.push_back(duration);
  return static_cast<std::uint32_t>(durations.size() - 1);
}

std::uint32_t FlowProgram::add_actor(ProgramActor actor) {
  actors.push_back(actor);
  return static_cast<std::uint32_t>(actors.size() - 1);
}

std::string FlowProgram::actor_name(std::uint32_t actor) const {
  const ProgramActor& a = actors[actor];
  const std::string name = fmt::format("{}/{}", scripts[a.script].name(), a.number);
  return a.count == 1 ? name : fmt::format("{} (x{})", name, a.count);
}

std::string FlowProgram::resource_name(std::uint32_t resource) const {
  const ProgramResource& r = resources[resource];
  std::string name = resource_groups[r.group];
  if (r.number != alone_in_group) name += fmt::format("/{}", r.number);
  return r.count == 1 ? name : fmt::format("{} (x{})", name, r.count);
}

void FlowProgram::check() const {
  for (std::uint32_t i = 0; i < actors.size(); ++i) {
    const ProgramActor& a = actors[i];
    if (a.script >= scripts.size()) refuse_program(fmt::format("actor {} has no script", i));
    const Script& script = scripts[a.script];
    if (std::size_t{a.first_duration} + script.durations() > durations.size() ||
        std::size_t{a.first_flow} + script.flows() > flows.size()) {
      refuse_program(fmt::format("{} lacks arguments", actor_name(i)));
    }
  }
  for (const Usage& use : uses) {
    if (use.resource.index >= resources.size()) refuse_program("a flow uses an unknown resource");
    if (!(use.coefficient >= 0) || std::isinf(use.coefficient)) {
      refuse_program(
          fmt::format("coefficient {:g} on \"{}\"", use.coefficient, resource_name(use.resource.index)));
    }
  }
  for (const ResourceId held : holds)
    if (held.index >= resources.size()) refuse_program("a flow holds an unknown resource");
  for (std::uint32_t r = 0; r < resources.size(); ++r)
    if (!(resources[r].lost_if_held >= 0 && resources[r].lost_if_held < 1))
      refuse_program(
          fmt::format("\"{}\" loses {:g} of itself if held", resource_name(r), resources[r].lost_if_held));
  for (const ProgramSignal& s : signals) {
    if (s.from >= actors.size() || s.to >= actors.size() || s.channel >= most_channels) {
      refuse_program("a signal leads nowhere");
    }
    if (s.slot >= scripts[actors[s.from].script].signals()) {
      refuse_program(fmt::format("{} has no signal {}", actor_name(s.from), s.slot));
    }
  }
}

SignalIndex::SignalIndex(const FlowProgram& program) {
  std::uint32_t keys = 0;
  for (const ProgramActor& actor : program.actors) {
    base.push_back(keys);
    keys += program.scripts[actor.script].signals();
  }
  first.assign(keys + 1u, 0);
  for (const ProgramSignal& s : program.signals) ++first[base[s.from] + s.slot + 1];
  for (std::uint32_t key = 0; key < keys; ++key) first[key + 1] += first[key];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  list.resize(program.signals.size());
  for (const ProgramSignal& s : program.signals) list[next[base[s.from] + s.slot]++] = s;
}

}  // namespace rackcast
