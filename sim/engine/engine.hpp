#pragma once
/// The event engine: runs processes in simulated time, one event after the other, on one thread.
///
/// Order is total and repeatable: events sort by time, then priority, then the order in which they were
/// scheduled. Events of the current instant wait in one first-in-first-out ring per priority; later ones in a
/// radix heap (event_queue.hpp). Nothing depends on addresses or on the wall clock, except that a wall-clock
/// limit stops where it happens to stop.
///
/// When no event is left but a process still waits, nothing can ever wake it: run() throws an Error that
/// names who waits for what.
#include <array>
#include <bit>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/limits.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/time.hpp"
#include "sim/engine/wait.hpp"

namespace rackcast {

class Tracer;

/// Order within an instant. Completions of activities are urgent; rate sharing settles last, once everything
/// that happens in the instant has happened.
enum class Priority : unsigned { urgent = 0, normal = 1, late = 2, settle = 3 };

struct RunSummary {
  StopReason reason = StopReason::finished;
  std::uint64_t events = 0;  ///< in this run()
  Duration end{};            ///< simulated time at the end

  [[nodiscard]] bool partial() const { return reason != StopReason::finished; }
};

/// Receiver of events that are not coroutines; sim/engine/fluid.hpp has the one that exists.
class EventSink {
 public:
  virtual ~EventSink() = default;

  /// Called when `at` is the next instant. Returns whether the event still happens then; if not, time does
  /// not
  /// advance for it. May schedule events.
  virtual bool confirm(std::uint64_t token, SimTime at) = 0;
  virtual void fire(std::uint64_t token) = 0;
};

struct SpawnOptions {
  bool daemon = false;  ///< does not keep the run alive: run() ends when the last other process ended
};

class Engine {
 public:
  explicit Engine(TickLength tick = TickLength::picosecond, SimTime start = {}) : clock_(tick), now_(start) {
    later_.rebase(start);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();  ///< destroys the processes that have not ended

  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] Duration time() const { return clock_.duration(now_); }
  [[nodiscard]] FramePool& frames() { return frames_; }

  /// Null (the default): nothing is traced.
  void set_tracer(Tracer* tracer) { tracer_ = tracer; }
  [[nodiscard]] Tracer* tracer() const { return tracer_; }

  /// The process starts in the current instant, after what is already scheduled there.
  void spawn(std::string name, Process process, SpawnOptions options = {});

  /// Runs until the last process that is not a daemon ended, or a limit. May be called again after a limit.
  /// Throws Error (internal) on deadlock, Error (invalid input) if a process waits for something that ends
  /// beyond the clock's range, and any exception of a process, prefixed with the name of the process.
  RunSummary run(const Limits& limits = {});

  /// run() returns, with StopReason::paused, once everything of this instant has happened: all processes
  /// then wait for something of the future. May be called from a process; run() may be called again.
  void pause_after_instant() { pause_ = true; }

  struct SleepAwaiter {
    Engine& engine;
    SimTime until;
    Priority priority;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) { engine.schedule(until, self, priority); }
    void await_resume() const noexcept {}
  };
  /// `co_await engine.sleep(d)`. Throws Error if negative or beyond the clock. Zero lets the others of this
  /// instant go first.
  [[nodiscard]] SleepAwaiter sleep(Duration duration, Priority priority = Priority::normal) {
    return {*this, time_after(duration), priority};
  }
  [[nodiscard]] SleepAwaiter sleep_until(SimTime time, Priority priority = Priority::normal);

  // For those who build things to wait for.

  /// now + duration; throws Error if negative or beyond the clock.
  [[nodiscard]] SimTime time_after(Duration duration) const;
  void schedule(SimTime time, std::coroutine_handle<> coroutine, Priority priority = Priority::normal) {
    enqueue(time, reinterpret_cast<std::uint64_t>(coroutine.address()), priority);
  }
  /// Notes in the process what it waits for.
  template <class P>
  static void note_wait(WaitNode& node, std::coroutine_handle<P> self, const Waitable& what,
                        std::uint64_t token = 0) {
    node.coroutine = self;
    node.process = self.promise().process;
    node.process->waits_for = &what;
    node.process->waits_token = token;
  }
  /// The waiting coroutine goes on in this instant.
  void wake(WaitNode& node) {
    node.process->waits_for = nullptr;
    schedule(now_, node.coroutine);
  }

  /// Sinks get a small number; an event for a sink that is gone is dropped.
  std::uint32_t add_sink(EventSink& sink);
  void remove_sink(std::uint32_t sink) { sinks_[sink] = nullptr; }
  /// `token` below 2^48.
  void schedule(SimTime time, std::uint32_t sink, std::uint64_t token, Priority priority) {
    enqueue(time, token << token_shift | std::uint64_t{sink} << sink_shift | sink_flag, priority);
  }

 private:
  friend void process_ended(Engine& engine, ProcessRecord& process) noexcept;
  friend void process_failed(Engine& engine, std::exception_ptr error) noexcept;

  // An event is one word: a coroutine's address (16-byte aligned) or token|sink|flag, and the priority in the
  // two lowest bits.
  static constexpr std::uint64_t priority_mask = 3;
  static constexpr std::uint64_t sink_flag = 4;
  static constexpr unsigned sink_shift = 3;
  static constexpr unsigned token_shift = 16;
  static constexpr std::size_t max_sinks = std::size_t{1} << (token_shift - sink_shift);

  void enqueue(SimTime time, std::uint64_t event, Priority priority) {
    const auto lane = static_cast<unsigned>(priority);
    if (time == now_) {
      lanes_[lane].push(event);
      busy_lanes_ |= 1u << lane;
    } else {
      later_.push(time, event | lane);
    }
  }
  [[nodiscard]] std::uint64_t next_event() {
    const auto lane = static_cast<unsigned>(std::countr_zero(busy_lanes_));
    const std::uint64_t event = lanes_[lane].pop();
    if (lanes_[lane].empty()) busy_lanes_ &= ~(1u << lane);
    return event;
  }
  [[nodiscard]] EventSink* sink_of(std::uint64_t event) const {
    return sinks_[(event >> sink_shift) % max_sinks];
  }
  bool advance(SimTime until);
  [[nodiscard]] bool limit_reached(const Limits& limits, RunSummary& summary, double wall_start) const;
  void dispatch(std::uint64_t event);
  void reap();
  [[noreturn]] void throw_failure(const std::string& name);
  [[noreturn]] void throw_deadlock() const;
  void throw_if_past_the_clock() const;

  Clock clock_;
  SimTime now_{};
  std::uint32_t busy_lanes_ = 0;
  bool pause_ = false;
  std::array<EventRing, 4> lanes_;
  EventQueue later_;
  FramePool frames_;
  std::deque<ProcessRecord> processes_;
  std::vector<ProcessRecord*> free_processes_;
  std::size_t foreground_ = 0;
  ProcessRecord* ended_ = nullptr;
  std::exception_ptr failure_;
  std::vector<EventSink*> sinks_;
  Tracer* tracer_ = nullptr;
};

inline FramePool& frames_of(Engine& engine) {
  return engine.frames();
}
inline void process_ended(Engine& engine, ProcessRecord& process) noexcept {
  engine.ended_ = &process;
}
inline void process_failed(Engine& engine, std::exception_ptr error) noexcept {
  engine.failure_ = std::move(error);
}

}  // namespace rackcast
