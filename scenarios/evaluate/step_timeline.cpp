#include "scenarios/evaluate/step_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "sim/engine/trace.hpp"

namespace rackcast {
namespace {

using Recorded = Tracer::Span;
using Value = Tracer::Value;

constexpr std::size_t most_lanes = 12, most_spans = 400, most_counters = 6, most_points = 400,
                      most_parts = 20;
constexpr double least_share = 0.01;  ///< of a counter's mean; an idle link needs no lane
/// What a step ends with; tables that are split have an exchange behind it.
constexpr std::string_view end_of_step = "optimizer", end_with_tables = "exchange of table vectors";
constexpr std::string_view counters = "Share in use";  // the group that sim/engine/fluid_trace.cpp writes

struct Window {
  SimTime from{}, to{};
};

Window window_of(const std::vector<Recorded>& spans) {
  Window all{never, {}};
  const bool tables = std::ranges::find(spans, end_with_tables, &Recorded::name) != spans.end();
  std::vector<SimTime> ends;
  std::map<std::pair<std::string_view, std::string_view>, int> steps;  // of each lane
  for (const Recorded& span : spans) {
    all.from = std::min(all.from, span.start);
    all.to = std::max(all.to, span.end);
    if (span.name != (tables ? end_with_tables : end_of_step)) continue;
    ends.push_back(span.end);
    ++steps[{span.group, span.row}];
  }
  // Stages of a pipeline end their one step at times of their own.
  if (std::ranges::none_of(steps, [](const auto& lane) { return lane.second > 1; })) return all;
  // Lanes of several GPUs that end a step together end one step.
  std::ranges::sort(ends);
  // clang 14 cannot instantiate std::ranges::unique of libstdc++ 12.
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.size() < 2) return all;
  // The simulation ends when a step repeats the one before; the flows of the last are cut off there.
  const std::size_t last = ends.size() > 2 ? ends.size() - 2 : 1;
  return {ends[last - 1], ends[last]};
}

/// Boxes that are too narrow to draw are one with their neighbours, until it can be seen. Boxes of one lane
/// follow each other where there are so many; none of those joined may lie inside another.
std::vector<StepTimeline::Span> joined(const std::vector<StepTimeline::Span>& spans, Duration length) {
  const Duration least = 2 * length / static_cast<double>(most_spans);
  std::vector<StepTimeline::Span> out;
  for (const StepTimeline::Span& span : spans) {
    StepTimeline::Span* last = out.empty() ? nullptr : &out.back();
    if (!last || last->length >= least || span.length >= least) {
      out.push_back(span);
      continue;
    }
    last->length = std::max(last->start + last->length, span.start + span.length) - last->start;
    if (last->name != span.name) last->name = "several, too short to draw";
  }
  if (out.size() > most_spans) out.resize(most_spans);
  return out;
}

std::vector<StepTimeline::Lane> lanes_of(const Tracer& tracer, const std::vector<Recorded>& spans,
                                         const Window& window) {
  std::map<std::pair<std::string_view, std::string_view>, StepTimeline::Lane> lanes;
  const auto since = [&](SimTime time) {
    return tracer.clock().duration(time) - tracer.clock().duration(window.from);
  };
  for (const Recorded& span : spans) {
    if (span.end <= window.from || span.start >= window.to) continue;
    StepTimeline::Lane& lane = lanes[{span.group, span.row}];
    if (lane.name.empty())
      lane.name = span.row.empty() ? std::string{span.group} : fmt::format("{}, {}", span.group, span.row);
    const SimTime begin = std::max(span.start, window.from), end = std::min(span.end, window.to);
    lane.spans.push_back({std::string{span.name}, since(begin), since(end) - since(begin)});
  }
  const Duration length = tracer.clock().duration(window.to) - tracer.clock().duration(window.from);
  std::vector<StepTimeline::Lane> out;
  for (auto& [name, lane] : lanes) {
    if (lane.spans.size() > most_spans) lane.spans = joined(lane.spans, length);
    out.push_back(std::move(lane));
  }
  return out;
}

/// Where there are too many lanes to draw, those that set the time stay, then the first.
void drop_lanes(std::vector<StepTimeline::Lane>& lanes, const std::vector<StepTimeline::PathPart>& path) {
  if (lanes.size() <= most_lanes) return;
  std::map<std::string_view, Duration> on_path;
  for (const StepTimeline::PathPart& part : path) on_path[part.where] += part.time;
  std::vector<std::pair<Duration, std::size_t>> ranked;
  for (std::size_t i = 0; i < lanes.size(); ++i) ranked.emplace_back(-1 * on_path[lanes[i].name], i);
  std::ranges::sort(ranked);
  ranked.resize(most_lanes);
  std::ranges::sort(ranked, {}, [](const auto& lane) { return lane.second; });
  std::vector<StepTimeline::Lane> kept;
  for (const auto& [time, i] : ranked) kept.push_back(std::move(lanes[i]));
  lanes = std::move(kept);
}

/// The tasks of the critical path as boxes of one lane.
std::vector<Recorded> path_spans(const std::vector<Tracer::PathTask>& path) {
  std::vector<Recorded> out;
  out.reserve(path.size());
  for (const auto& task : path) out.push_back({"Critical path", "", task.name, task.start, task.end});
  return out;
}

/// How long each task of each stream is on the critical path within the window.
std::vector<StepTimeline::PathPart> path_of(const Tracer& tracer, const Window& window) {
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> ticks;
  for (const Tracer::PathTask& task : tracer.path()) {
    const SimTime begin = std::max(task.start, window.from), end = std::min(task.end, window.to);
    if (begin < end) ticks[{task.where, task.name}] += (end - begin).ticks;
  }
  std::vector<StepTimeline::PathPart> out;
  for (const auto& [what, time] : ticks)
    out.push_back({std::string{what.second}, std::string{what.first}, tracer.clock().duration({time})});
  std::ranges::stable_sort(out, std::greater{}, &StepTimeline::PathPart::time);
  if (out.size() <= most_parts) return out;
  std::map<std::string, Duration> others;
  for (std::size_t i = most_parts; i < out.size(); ++i) others[out[i].what] += out[i].time;
  out.resize(most_parts);
  for (const auto& [what, time] : others) out.push_back({what, "other streams", time});
  return out;
}

/// Where there are too many points to draw, the means of equal pieces stand for them.
void thin(StepTimeline::Share& share, Duration length) {
  if (share.points.size() <= most_points) return;
  const Duration piece = length / static_cast<double>(most_points);
  std::vector<std::pair<Duration, double>> means;
  for (std::size_t p = 0; p < most_points; ++p) means.emplace_back(static_cast<double>(p) * piece, 0);
  for (std::size_t i = 0; i < share.points.size(); ++i) {
    const auto& [begin, value] = share.points[i];
    const Duration end = i + 1 < share.points.size() ? share.points[i + 1].first : length;
    auto p = std::min(most_points - 1, static_cast<std::size_t>(begin / piece));
    for (; p < most_points && means[p].first < end; ++p) {
      const Duration to = std::min(end, means[p].first + piece);
      means[p].second += value * std::max(0.0, (to - std::max(begin, means[p].first)) / piece);
    }
  }
  share.points = std::move(means);
}

/// Within the window, from its begin on.
StepTimeline::Share share_of(const Tracer& tracer, const std::vector<Value>& values, const Window& window) {
  StepTimeline::Share share;
  share.name = values.front().row;
  const Duration from = tracer.clock().duration(window.from), to = tracer.clock().duration(window.to);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Duration begin = std::max(from, tracer.clock().duration(values[i].time));
    const Duration end =
        std::min(to, i + 1 < values.size() ? tracer.clock().duration(values[i + 1].time) : to);
    if (end <= begin) continue;
    sum += values[i].value * (end - begin).base();
    share.points.emplace_back(begin - from, values[i].value);
  }
  share.mean = sum / (to - from).base();
  thin(share, to - from);
  return share;
}

std::vector<StepTimeline::Share> shares_of(const Tracer& tracer, const Window& window) {
  std::map<std::string_view, std::vector<Value>> rows;
  for (const Value& value : tracer.values()) {
    if (value.group.ends_with(counters) && value.time <= window.to) rows[value.row].push_back(value);
  }
  std::vector<StepTimeline::Share> out;
  for (const auto& [row, values] : rows) {
    if (StepTimeline::Share share = share_of(tracer, values, window); share.mean >= least_share)
      out.push_back(std::move(share));
  }
  std::ranges::stable_sort(out, std::greater{}, &StepTimeline::Share::mean);
  if (out.size() > most_counters) out.resize(most_counters);
  return out;
}

/// Six digits are finer than a pixel of any page.
double rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

}  // namespace

StepTimeline step_timeline(const Tracer& tracer) {
  StepTimeline out;
  const std::vector<Recorded> spans = tracer.spans();
  if (spans.empty()) return out;
  const Window window = window_of(spans);
  out.length = tracer.clock().duration(window.to) - tracer.clock().duration(window.from);
  if (!(out.length > Duration{0})) return {};
  out.path = path_of(tracer, window);
  std::vector<StepTimeline::Lane> lanes = lanes_of(tracer, spans, window);
  drop_lanes(lanes, out.path);
  out.lanes = lanes_of(tracer, path_spans(tracer.path()), window);
  std::ranges::move(lanes, std::back_inserter(out.lanes));
  out.shares = shares_of(tracer, window);
  return out;
}

doc::Timeline timeline_document(const StepTimeline& timeline) {
  doc::Timeline out;
  out.length = rounded(timeline.length.base());
  for (const StepTimeline::Lane& lane : timeline.lanes) {
    doc::Timeline::Lane& row = out.lanes.emplace_back();
    row.name = lane.name;
    for (const StepTimeline::Span& span : lane.spans)
      row.spans.push_back({span.name, rounded(span.start.base()), rounded(span.length.base())});
  }
  for (const StepTimeline::Share& share : timeline.shares) {
    doc::Timeline::Share& row = out.shares.emplace_back();
    row.name = share.name;
    row.mean = rounded(share.mean);
    for (const auto& [time, value] : share.points)
      row.points.emplace_back(rounded(time.base()), rounded(value));
  }
  for (const StepTimeline::PathPart& part : timeline.path)
    out.path.push_back({part.what, part.where, rounded(part.time.base())});
  return out;
}

}  // namespace rackcast
