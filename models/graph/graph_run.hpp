#pragma once
/// Simulates one step of a graph.
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/graph/step_graph.hpp"
#include "sim/engine/limits.hpp"

namespace rackcast {

class Tracer;

struct GraphRunOptions {
  Limits limits = {};
  bool fold = true;          ///< laps that repeat are simulated once; the result is the same to the bit
  Tracer* tracer = nullptr;  ///< gets a lane for each stream, and then every lap
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

  /// What a stream spent in tasks and waits of that name.
  [[nodiscard]] Duration time(std::uint32_t stream, std::string_view name) const;
  /// Where the time of a stream went; `total` of it is that until the stream's own end.
  [[nodiscard]] StepParts parts(std::uint32_t stream) const;
};

/// Throws LimitReached if a limit ends it before the step is over, and Error (internal) where streams wait
/// for each other in a circle.
GraphRun run_graph(const StepGraph& graph, const GraphRunOptions& options = {});

}  // namespace rackcast
