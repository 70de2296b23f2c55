#include "sim/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr std::size_t report_lines = 20;
constexpr std::uint64_t events_between_clock_looks = 4096;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SimTime last_instant(const Clock& clock, Duration until) {
  return std::isinf(until.base()) && until.base() > 0 ? never : clock.ticks(until);
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::finished:
      return "the end";
    case StopReason::event_limit:
      return "the event limit";
    case StopReason::wall_clock_limit:
      return "the wall-clock limit";
    case StopReason::time_limit:
      return "the limit of simulated time";
    case StopReason::paused:
      break;
  }
  return "a pause";
}

Engine::~Engine() {
  for (ProcessRecord& process : processes_) {
    if (process.frame) process.frame.destroy();
  }
}

void Engine::spawn(std::string name, Process process, SpawnOptions options) {
  if (free_processes_.empty()) free_processes_.push_back(&processes_.emplace_back());
  ProcessRecord& record = *free_processes_.back();
  free_processes_.pop_back();
  record.name = std::move(name);
  record.daemon = options.daemon;
  const auto frame = std::exchange(process.frame_, nullptr);
  record.frame = frame;
  frame.promise().engine = this;
  frame.promise().process = &record;
  if (!record.daemon) ++foreground_;
  schedule(now_, frame);
}

Engine::SleepAwaiter Engine::sleep_until(SimTime time, Priority priority) {
  if (time < now_) {
    throw Error("a process sleeps until a time that has passed", {}, {}, ErrorKind::internal);
  }
  return {*this, time, priority};
}

SimTime Engine::time_after(Duration duration) const {
  if (!(duration.base() >= 0)) {
    throw Error(fmt::format("a process waits for {:g} s; a duration must not be negative", duration.base()),
                {}, {}, ErrorKind::internal);
  }
  return clock_.after(now_, clock_.ticks(duration));
}

std::uint32_t Engine::add_sink(EventSink& sink) {
  if (sinks_.size() == max_sinks) {
    throw Error("too many networks in one engine", {}, {}, ErrorKind::internal);
  }
  sinks_.push_back(&sink);
  return static_cast<std::uint32_t>(sinks_.size() - 1);
}

/// Goes to the next instant that has an event which still stands. False if there is none up to `until`.
bool Engine::advance(SimTime until) {
  while (!later_.empty()) {
    const SimTime next = later_.next_time();
    if (next > until) return false;
    const auto deliver = [&](std::uint64_t event) {
      if ((event & sink_flag) != 0) {
        EventSink* sink = sink_of(event);
        if (sink == nullptr || !sink->confirm(event >> token_shift, next)) return;
      }
      const auto lane = static_cast<unsigned>(event & priority_mask);
      lanes_[lane].push(event & ~priority_mask);
      busy_lanes_ |= 1u << lane;
    };
    const auto place_of = [](std::uint64_t event) -> const void* {
      return (event & sink_flag) != 0 ? nullptr : reinterpret_cast<const void*>(event & ~priority_mask);
    };
    later_.take(deliver, place_of);
    if (busy_lanes_ != 0) {
      now_ = next;
      return true;
    }
  }
  later_.rebase(now_);
  return false;
}

inline void Engine::dispatch(std::uint64_t event) {
  if ((event & sink_flag) != 0) {
    if (EventSink* sink = sink_of(event)) sink->fire(event >> token_shift);
    return;
  }
  std::coroutine_handle<>::from_address(reinterpret_cast<void*>(event)).resume();
  if (ended_ != nullptr) reap();
}

bool Engine::limit_reached(const Limits& limits, RunSummary& summary, double wall_start) const {
  if (summary.events >= limits.max_events) {
    summary.reason = StopReason::event_limit;
    return true;
  }
  if (!std::isinf(limits.wall_clock.base()) && summary.events % events_between_clock_looks == 0 &&
      wall_seconds() - wall_start > limits.wall_clock.base()) {
    summary.reason = StopReason::wall_clock_limit;
    return true;
  }
  return false;
}

RunSummary Engine::run(const Limits& limits) {
  const double wall_start = wall_seconds();
  const SimTime until = last_instant(clock_, limits.until);
  RunSummary summary;
  // The instant in which the last process ends is still played to its end.
  while (foreground_ != 0 || busy_lanes_ != 0) {
    if (busy_lanes_ == 0 && std::exchange(pause_, false)) {
      summary.reason = StopReason::paused;
      break;
    }
    if (busy_lanes_ == 0 && !advance(until)) {
      if (later_.empty()) throw_deadlock();
      now_ = std::max(now_, until);
      summary.reason = StopReason::time_limit;
      break;
    }
    if (limit_reached(limits, summary, wall_start)) break;
    dispatch(next_event());
    ++summary.events;
  }
  summary.end = time();
  return summary;
}

/// Ends the process whose coroutine has just run to its end.
void Engine::reap() {
  ProcessRecord& process = *std::exchange(ended_, nullptr);
  process.frame.destroy();
  process.frame = nullptr;
  if (!process.daemon) --foreground_;
  free_processes_.push_back(&process);
  if (failure_) throw_failure(process.name);
}

void Engine::throw_failure(const std::string& name) {
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    throw Error(fmt::format("process \"{}\": {}", name, error.message()), error.where(), error.hint(),
                error.kind());
  } catch (const std::exception& error) {
    throw Error(fmt::format("process \"{}\": {}", name, error.what()), {}, {}, ErrorKind::internal);
  }
}

/// An activity so slow that its end lies past the clock's range leaves no event either; it is the input's
/// doing.
void Engine::throw_if_past_the_clock() const {
  for (const ProcessRecord& process : processes_) {
    if (!process.frame || !process.waits_for || !process.waits_for->outlasts_clock(process.waits_token))
      continue;
    throw Error{fmt::format("the simulated time goes past the end of the clock, {:.3g} days\n"
                            "process \"{}\" waits for {}",
                            clock_.duration(never).base() / 86400, process.name,
                            process.waits_for->describe(process.waits_token)),
                {},
                "a rate of the scenario or of the catalogue is far too low for the work"};
  }
}

void Engine::throw_deadlock() const {
  throw_if_past_the_clock();
  std::string message;
  std::size_t waiting = 0;
  for (const ProcessRecord& process : processes_) {
    if (!process.frame || process.daemon) continue;
    if (++waiting > report_lines) continue;
    message +=
        fmt::format("\n  process \"{}\" waits for {}", process.name,
                    process.waits_for ? process.waits_for->describe(process.waits_token) : "nothing known");
  }
  if (waiting > report_lines) message += fmt::format("\n  and {} more", waiting - report_lines);
  throw Error(fmt::format("deadlock after {:g} s of simulated time: no event is pending, but {} {}{}",
                          time().base(), waiting, waiting == 1 ? "process waits" : "processes wait", message),
              {}, {}, ErrorKind::internal);
}

}  // namespace rackcast
