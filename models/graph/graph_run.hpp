#pragma once
/// Simulates one step of a graph.
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/graph/step_graph.hpp"
#include "sim/engine/limits.hpp"
#include "sim/program/simulation.hpp"

namespace rackcast {

class Tracer;

/// How far a graph whose first stream repeats has come.
struct GraphLap {
  const StepGraph& graph;
  const LapInfo& info;

  /// Where the time of a stream went so far.
  [[nodiscard]] StepParts parts(std::uint32_t stream) const;
  /// Marks that a stream has set; only where no lap was skipped.
  [[nodiscard]] std::size_t marks(std::uint32_t stream) const { return info.marks[stream].size(); }
};

struct GraphRunOptions {
  Limits limits = {};
  bool may_be_partial = false;  ///< a limit ends the run, and the result is of what came before
  /// Asked whenever the first stream that repeats begins another lap of its outermost loop.
  std::function<LapDecision(const GraphLap&)> at_lap = {};
  bool fold = true;          ///< laps that repeat are simulated once; the result is the same to the bit
  Tracer* tracer = nullptr;  ///< gets a lane for each stream, every lap, and the critical path
};

struct GraphRun {
  /// Time of one stream under one name and part.
  struct Spent {
    std::string_view name;  ///< lives as long as the graph
    StepPartOf part;
    Duration time;
  };
  Duration total{0};
  std::vector<std::vector<Spent>> spent;  ///< of each stream
  std::uint64_t events = 0;
  StopReason reason = StopReason::finished;
  std::vector<std::vector<Mark>> marks;  ///< of each stream

  /// A limit ended it.
  [[nodiscard]] bool partial() const { return reason != StopReason::finished; }

  /// What a stream spent in tasks and waits of that name.
  [[nodiscard]] Duration time(std::uint32_t stream, std::string_view name) const;
  /// Where the time of a stream went; `total` of it is that until the stream's own end.
  [[nodiscard]] StepParts parts(std::uint32_t stream) const;
};

/// What is said of a limit that came before one step was over.
LimitReached cut_short(StopReason reason);

/// Throws LimitReached if a limit ends it too early, unless it may be partial, and Error (internal) where
/// streams wait for each other in a circle.
GraphRun run_graph(const StepGraph& graph, const GraphRunOptions& options = {});

}  // namespace rackcast
