#pragma once
/// A parallel program on shared resources, as data: who sleeps, moves data, signals and waits, in which
/// order.
///
/// An actor (a rank, a loader, a compute stream, a barrier) runs a script. Scripts are shared; what differs
/// from actor to actor are the arguments that the script refers to by slot: durations, flows, and to whom
/// signals go. An actor waits only on its own channels, which are counters of permits; a signal gives permits
/// to channels of other actors. That is enough for everything that ranks do to each other:
///
///   the next chunk of a ring    signal to the right neighbour, wait for one permit
///   a barrier of n              an actor that waits for n permits, then signals all n
///   a collective of n           the same with a flow in between
///   a bounded queue             a channel of the consumer for items, one of the producer for free places
///
/// As data the program can be folded (fold.hpp) and its repetitions be skipped
/// (simulation.hpp); the same code runs it folded or not.
///
///   Script rank("rank");                       // the ring all-reduce of one rank, chunk by chunk
///   rank.repeat(steps).flow(0, "chunk").signal(0).wait(0).end().mark(0);
///   const auto script = program.add_script(rank);
///   const auto first = program.add_flow({.work = chunk, .latency = latency}, route);
///   const auto me = program.add_actor({.script = script, .first_flow = first});
///   program.add_signal({.from = me, .to = right});
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/fluid.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

inline constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::size_t most_nested_loops = 4;
inline constexpr std::size_t most_channels = 8;

/// One operation of a script. What `slot` means depends on the kind.
struct Op {
  enum class Kind : std::uint8_t { sleep, flow, signal, wait, repeat, end, mark };
  Kind kind = Kind::sleep;
  bool steady = false;      ///< repeat: laps that repeat exactly may be skipped
  std::uint32_t slot = 0;   ///< duration, flow, signal, channel, mark; repeat: nesting depth; end: its repeat
  std::uint64_t count = 1;  ///< repeat: laps (0: the body is passed over); wait: permits
  std::uint32_t past = 0;   ///< repeat: the operation after its end
  std::string name{};       ///< sleep, flow, wait: for the trace; a wait without one is not drawn
};

/// A list of operations, put together by chaining.
class Script {
 public:
  explicit Script(std::string name) : name_(std::move(name)) {}

  /// Zero takes no time and is no event.
  Script& sleep(std::uint32_t slot, std::string name = "sleep");
  Script& flow(std::uint32_t slot, std::string name = "flow");
  Script& signal(std::uint32_t slot);
  /// Takes `permits` of a channel, once there are so many.
  Script& wait(std::uint32_t channel, std::uint64_t permits = 1, std::string name = {});
  /// Repeats what follows, up to the matching end(). At most most_nested_loops deep.
  Script& repeat(std::uint64_t laps, bool steady = false);
  Script& end();
  /// Notes the time under a number.
  Script& mark(std::uint32_t label);
  /// Permits that a channel has at the beginning: the places of a queue.
  Script& permits(std::uint32_t channel, std::uint32_t count);
  /// The program may end before this script does.
  Script& daemon() {
    daemon_ = true;
    return *this;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::span<const Op> ops() const { return ops_; }
  [[nodiscard]] bool is_daemon() const { return daemon_; }
  [[nodiscard]] const std::array<std::uint32_t, most_channels>& initial_permits() const { return permits_; }
  /// How many slots the script refers to.
  [[nodiscard]] std::uint32_t durations() const { return durations_; }
  [[nodiscard]] std::uint32_t flows() const { return flows_; }
  [[nodiscard]] std::uint32_t signals() const { return signals_; }
  [[nodiscard]] bool complete() const { return open_.empty(); }

 private:
  Op& add(Op::Kind kind, std::uint32_t slot);

  std::string name_;
  std::vector<Op> ops_;
  std::vector<std::uint32_t> open_;  ///< repeats without end yet
  std::array<std::uint32_t, most_channels> permits_{};
  std::uint32_t durations_ = 0, flows_ = 0, signals_ = 0;
  bool daemon_ = false;
};

struct ProgramResource {
  double capacity = 0;
  std::uint32_t group = 0;  ///< names: "<group>/<number>"
  std::uint32_t number = 0;
  std::uint32_t count = 1;  ///< how many alike it stands for
  double lost_if_held = 0;  ///< part of the capacity that is not there while a flow holds it
};

/// Arguments of a flow operation (fluid.hpp, Activity), without the resources.
struct FlowArguments {
  double work = 0;
  double weight = 1;
  double rate_cap = no_cap;
  Duration latency{};
  /// So long that many laps pass meanwhile: they may be skipped, and the flow moves on by what those laps
  /// moved it, which is exact but for rounding.
  bool outlasts_laps = false;
};
struct ProgramFlow {
  FlowArguments arguments;
  std::uint32_t first_use = 0, use_count = 0;    ///< in uses
  std::uint32_t first_hold = 0, hold_count = 0;  ///< in holds
};

struct ProgramActor {
  std::uint32_t script = 0;
  std::uint32_t first_duration = 0;  ///< the script's slots follow from here
  std::uint32_t first_flow = 0;
  std::uint32_t number = 0;  ///< names: "<script>/<number>"
  std::uint32_t count = 1;   ///< how many alike it stands for
};

/// Permits for one channel of one actor, given by one signal slot of another (or the same).
struct ProgramSignal {
  std::uint32_t from = 0, slot = 0;
  std::uint32_t to = 0, channel = 0;
  std::uint32_t permits = 1;
};

/// Indices count from 0 in the order of adding.
struct FlowProgram {
  std::vector<Script> scripts;
  std::vector<std::string> resource_groups;
  std::vector<ProgramResource> resources;
  std::vector<Usage> uses;
  std::vector<ResourceId> holds;
  std::vector<ProgramFlow> flows;
  std::vector<Duration> durations;
  std::vector<ProgramActor> actors;
  std::vector<ProgramSignal> signals;
  std::vector<std::vector<ResourceId>> twins;  ///< sets of resources, a hint (Network::set_twins)

  /// Throws Error (internal) if a loop is not closed.
  std::uint32_t add_script(Script script);
  /// `count` resources of one capacity; returns the first.
  ResourceId add_resources(std::string group, std::uint32_t count, double capacity, double lost_if_held = 0);
  /// A resource may appear more than once; its coefficients add. The flow holds `held` from its begin,
  /// latency and all, to its end, whatever its rate.
  std::uint32_t add_flow(const FlowArguments& arguments, std::span<const Usage> through,
                         std::span<const ResourceId> held = {});
  std::uint32_t add_duration(Duration duration);
  std::uint32_t add_actor(ProgramActor actor);
  void add_signal(const ProgramSignal& signal) { signals.push_back(signal); }

  [[nodiscard]] std::string actor_name(std::uint32_t actor) const;
  [[nodiscard]] std::string resource_name(std::uint32_t resource) const;
  [[nodiscard]] std::span<const Usage> uses_of(const ProgramFlow& flow) const {
    return std::span{uses}.subspan(flow.first_use, flow.use_count);
  }
  [[nodiscard]] std::span<const ResourceId> holds_of(const ProgramFlow& flow) const {
    return std::span{holds}.subspan(flow.first_hold, flow.hold_count);
  }

  /// Throws Error (internal) if an index leads nowhere or a number is out of range.
  void check() const;
};

/// The signals by sender: those of slot s of actor a are list[first[base[a] + s]] up to the next first.
struct SignalIndex {
  explicit SignalIndex(const FlowProgram& program);

  [[nodiscard]] std::span<const ProgramSignal> of(std::uint32_t actor, std::uint32_t slot) const {
    const std::uint32_t key = base[actor] + slot;
    return std::span{list}.subspan(first[key], first[key + 1] - first[key]);
  }

  std::vector<std::uint32_t> base;
  std::vector<std::uint32_t> first;
  std::vector<ProgramSignal> list;
};

}  // namespace rackcast
