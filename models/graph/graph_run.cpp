#include "models/graph/graph_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "sim/engine/trace.hpp"
#include "sim/program/simulation.hpp"

namespace rackcast {
namespace {

std::vector<GraphRun::Spent> spent_of(const StepGraph& graph, const ProgramResult& result,
                                      std::uint32_t stream) {
  const std::vector<Duration> times = result.spent(stream);
  const std::vector<StepGraph::Label>& labels = graph.labels(stream);
  std::vector<GraphRun::Spent> out;
  std::unordered_map<std::string_view, std::vector<std::size_t>>
      numbers;  // of `out`: by name, one for each part
  for (std::size_t op = 0; op < labels.size(); ++op) {
    const StepGraph::Label& label = labels[op];
    if (!label.part) continue;
    auto& known = numbers[label.name];
    const auto same = std::ranges::find_if(known, [&](std::size_t n) { return out[n].part == label.part; });
    if (same == known.end()) {
      known.push_back(out.size());
      out.push_back({label.name, label.part, times[op]});
    } else {
      out[*same].time += times[op];
    }
  }
  return out;
}

/// The critical path as boxes of the trace, those of one stream and name that follow each other as one.
void trace_path(const StepGraph& graph, const std::vector<PathStep>& path, Tracer& tracer) {
  const auto label = [&](const PathStep& step) -> const std::string& {
    return graph.labels(step.actor)[step.operation].name;
  };
  for (std::size_t i = 0; i < path.size();) {
    const PathStep& first = path[i];
    SimTime end = first.end;
    for (++i; i < path.size() && path[i].actor == first.actor && label(path[i]) == label(first); ++i)
      end = path[i].end;
    tracer.path_step(graph.name(first.actor), label(first), first.start, end);
  }
}

}  // namespace

StepParts GraphLap::parts(std::uint32_t stream) const {
  const std::vector<StepGraph::Label>& labels = graph.labels(stream);
  const Clock clock{TickLength::picosecond};
  StepParts out;
  for (std::size_t op = 0; op < labels.size(); ++op) {
    if (!labels[op].part) continue;
    const Duration time = clock.duration({info.accounts[stream][op]});
    out.*labels[op].part += time;
    out.total += time;
  }
  return out;
}

Duration GraphRun::time(std::uint32_t stream, std::string_view name) const {
  Duration sum{0};
  for (const Spent& s : spent[stream])
    if (s.name == name) sum += s.time;
  return sum;
}

StepParts GraphRun::parts(std::uint32_t stream) const {
  StepParts out;
  for (const Spent& s : spent[stream]) {
    out.*s.part += s.time;
    out.total += s.time;
  }
  return out;
}

LimitReached cut_short(StopReason reason) {
  return LimitReached{fmt::format("{} was reached before one training step was over", to_string(reason)),
                      {},
                      "give the run a larger --limit",
                      ErrorKind::infeasible};
}

GraphRun run_graph(const StepGraph& graph, const GraphRunOptions& options) {
  ProgramOptions how;
  how.fold_space = false;  // a stream is all ranks that are alike
  how.fold_time = options.fold && !options.tracer;
  how.limits = options.limits;
  how.tracer = options.tracer;
  how.lane = [&](Tracer& tracer, std::uint32_t stream) {
    return graph.group(stream).empty() ? TrackId{} : tracer.track(graph.group(stream), graph.row(stream));
  };
  if (options.at_lap)
    how.at_lap = [&](const LapInfo& info) {
      return options.at_lap(GraphLap{graph, info});
    };
  how.account = true;
  how.path = options.tracer != nullptr;
  if (options.tracer) options.tracer->path_track();  // the first lane of its drawing
  const ProgramResult result = simulate(graph.lowered(), how);
  if (result.partial() && !options.may_be_partial) throw cut_short(result.reason);
  if (options.tracer) trace_path(graph, result.path, *options.tracer);
  GraphRun out;
  out.total = result.end;
  out.events = result.events;
  out.reason = result.reason;
  for (std::uint32_t stream = 0; stream < graph.streams(); ++stream) {
    out.spent.push_back(spent_of(graph, result, stream));
    out.marks.push_back(result.marks(stream));
  }
  return out;
}

}  // namespace rackcast
