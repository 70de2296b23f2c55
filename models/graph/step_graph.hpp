#pragma once
/// One training step as a graph: streams of tasks that wait for each other and share GPUs and links.
///
/// A stream is a queue of a GPU: its kernels, or those of one communicator. One stream stands for all ranks
/// that do the same at the same time, for example the GPUs of one pipeline stage in all replicas. The tasks
/// of a stream run one after the other. What overlaps follows from streams and from who waits for whom:
///
///     StepGraph graph;
///     const auto kernels = graph.add_stream("Stage 1 of 2", "kernels");
///     const auto sums = graph.add_stream("Stage 1 of 2", "gradient exchange");
///     const auto ready = graph.add_channel(sums), summed = graph.add_channel(kernels);
///     graph.stream(kernels).run({.name = "backward", ...}).signal(ready).wait(summed, waiting).run(update);
///     graph.stream(sums).wait(ready, waiting).run(all_reduce).signal(summed);
///
/// A channel counts permits: a signal gives one, a wait takes as many as it asks for. Since both sides keep
/// their order, the k-th permit belongs to the k-th task that was waited for.
///
/// A resource is something that tasks share, as 1 in all: the multiprocessors of a GPU, the links of a node.
/// A task that runs at its own pace takes a share of it. Where the shares of those under way add up to more
/// than 1, they are slowed down, weighted max-min fair (sim/engine/fluid.hpp). A task may also hold a
/// resource: as long as the task lasts, however slow, a part of the resource is not there. So a collective
/// takes multiprocessors from the kernels beside it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/step_parts.hpp"
#include "sim/program/flow_program.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Which part of the step a task's time, or that of a wait, is.
using StepPartOf = Duration StepParts::*;

/// What a task takes of a resource at its own pace, 0 to 1.
struct ResourceShare {
  ResourceId resource;
  double share = 1;
};

struct StepTask {
  std::string name;
  StepPartOf part = &StepParts::forward;
  Duration time{0};  ///< if it has what it shares for itself
  std::vector<ResourceShare> takes = {};
  std::vector<ResourceId> holds = {};  ///< lose a part of themselves meanwhile (add_resource)
};

/// A task on real links: so much work that flows through resources at a rate that they set.
struct StepFlow {
  std::string name;
  StepPartOf part = &StepParts::forward;
  FlowArguments arguments = {};
  std::vector<Usage> through = {};
  std::vector<ResourceId> holds = {};  ///< lose a part of themselves meanwhile (add_resource)
};

/// A wait and what it is called; without a part it counts nowhere.
struct StepWait {
  std::string name;
  StepPartOf part = &StepParts::pipeline_wait;
};

/// Permits for one stream.
struct StepChannel {
  std::uint32_t stream = 0, number = 0;
};

class StepGraph {
 public:
  /// Adds to the end of one stream.
  class Stream {
   public:
    Stream& run(const StepTask& task);
    Stream& run(const StepFlow& flow);
    Stream& wait(StepChannel channel, const StepWait& wait, std::uint64_t permits = 1);
    Stream& signal(StepChannel channel);
    /// Repeats what follows, up to the matching end(). Laps that repeat exactly are simulated once.
    Stream& repeat(std::uint64_t laps);
    Stream& end();
    /// Notes the time under a number.
    Stream& mark(std::uint32_t label);
    /// The graph may end before this stream does: what serves others for ever.
    Stream& daemon();

   private:
    friend class StepGraph;
    Stream(StepGraph& graph, std::uint32_t number) : graph_{graph}, number_{number} {}
    void note(std::string name, StepPartOf part);
    StepGraph& graph_;
    std::uint32_t number_;
  };

  /// `group` and `row` name its lane in a trace; without a group it has none. The laps of the first stream
  /// that repeats are those by which repetition is found.
  std::uint32_t add_stream(std::string group, std::string row);
  [[nodiscard]] Stream stream(std::uint32_t number) { return {*this, number}; }
  /// At most sim's most_channels for a stream. `permits`: there from the beginning.
  StepChannel add_channel(std::uint32_t stream, std::uint32_t permits = 0);
  /// A task takes of a capacity of 1; flows may share others, in units of their own. While a flow holds the
  /// resource, `lost_if_held` of it is not there.
  ResourceId add_resource(std::string name, double capacity = 1, double lost_if_held = 0);
  /// Flows mostly load these resources of one capacity alike: a hint that saves time (Network::set_twins).
  void add_twins(std::vector<ResourceId> twins) { twins_.push_back(std::move(twins)); }

  [[nodiscard]] std::size_t streams() const { return streams_.size(); }
  [[nodiscard]] const std::string& group(std::uint32_t stream) const { return streams_[stream].group; }
  [[nodiscard]] const std::string& row(std::uint32_t stream) const { return streams_[stream].row; }
  /// "Node 0, GPU 0, compute stream"; the row alone where the stream has no group.
  [[nodiscard]] std::string name(std::uint32_t stream) const;

  /// What an operation of the lowered stream is, if it takes time.
  struct Label {
    std::string name;
    StepPartOf part = nullptr;
  };
  /// Of each operation.
  [[nodiscard]] const std::vector<Label>& labels(std::uint32_t stream) const {
    return streams_[stream].labels;
  }
  /// An actor for each stream, in their order.
  [[nodiscard]] FlowProgram lowered() const;

 private:
  struct Row {
    std::string group, row;
    Script script{"stream"};
    std::vector<Label> labels = {};
    std::vector<Duration> durations = {};
    std::vector<StepFlow> flows = {};
    std::vector<StepChannel> signals = {};  ///< by slot
    std::uint32_t channels = 0;
  };
  std::vector<Row> streams_;
  std::vector<std::vector<ResourceId>> twins_;
  struct Shared {
    std::string name;
    double capacity, lost_if_held;
  };
  std::vector<Shared> resources_;
};

}  // namespace rackcast
