#pragma once
/// Limits of a run (time, events, interruption), and whether it is folded or simulates every GPU.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct RunControl {
  bool fold = true;  ///< false: every GPU, link and step is simulated
  std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max();
  int threads = 1;  ///< that simulate ahead of need; the result is the same for any number
  Duration wall_clock{std::numeric_limits<double>::infinity()};
  std::function<void(std::size_t runs)> on_run =
      {};  ///< called after each simulated run, to show how far it is
  std::function<void(std::size_t done, std::size_t all)> on_design =
      {};  ///< called after each design that the planner has tried
  std::function<void(std::size_t done, std::size_t all)> on_nodes =
      {};  ///< called after each row of a scaling table: nodes of its rows
  /// Called now and then while the graph of a cluster of so many nodes is built, by whichever thread builds
  /// it, from one thread at a time.
  std::function<void(int nodes)> on_building = {};
  std::function<bool()> cancelled = {};  ///< true: ends the work like a limit

  [[nodiscard]] bool limited() const;
};

/// Reads limits of the command line: a duration of wall-clock time ("10 s"), or a number of events
/// ("events=1e6"). Throws Error (usage) for anything else.
RunControl read_limits(const std::vector<std::string>& texts);

}  // namespace rackcast
