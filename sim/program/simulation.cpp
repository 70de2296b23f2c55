#include "sim/program/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/program/fold.hpp"
#include "sim/program/lap_watch.hpp"
#include "sim/program/segment.hpp"

namespace rackcast {

namespace {

class Simulation {
 public:
  Simulation(const FlowProgram& program, const ProgramOptions& options)
      : original_(program), options_(options) {
    program.check();
    if (options.path && (options.fold_space || options.fold_time))
      throw Error{"a critical path needs every actor and every lap", {}, {}, ErrorKind::internal};
  }

  ProgramResult run() {
    if (options_.fold_space) fold_in_space();
    result_.logs.resize(program().actors.size());
    result_.cells = result_.logs.size();
    if (options_.account)
      for (const ProgramActor& actor : program().actors)
        result_.accounts.emplace_back(program().scripts[actor.script].ops().size());
    enter(initial_state(program()));
    for (;;) {
      const RunSummary summary = segment_->run(limits());
      result_.events += summary.events;
      result_.end = summary.end;
      if (summary.reason == StopReason::paused) {
        at_lap();
        if (stopped_) break;
      } else {
        result_.reason = summary.reason;
        settle_accounts();
        break;
      }
    }
    leave();
    if (options_.path) result_.path = path_.behind(last_to_end());
    return std::move(result_);
  }

 private:
  [[nodiscard]] const FlowProgram& program() const { return folded_ ? *folded_ : original_; }
  [[nodiscard]] bool pausing() const { return options_.fold_time || options_.at_lap; }

  [[nodiscard]] Limits limits() const {
    Limits out = options_.limits;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    out.wall_clock -= Duration{spent.count()};
    if (out.max_events != forever) out.max_events -= std::min(out.max_events, result_.events);
    return out;
  }

  void fold_in_space() {
    FoldedProgram folded = fold(original_);
    if (folded.program.actors.size() == original_.actors.size()) return;
    result_.cell = std::move(folded.actor_cell);
    folded_ = std::move(folded.program);
  }

  /// The first of those that ended last.
  [[nodiscard]] std::uint32_t last_to_end() const {
    const auto rank = [&](std::uint32_t actor) {
      return std::pair{!program().scripts[program().actors[actor].script].is_daemon(), path_.end_of(actor)};
    };
    std::uint32_t last = 0;
    for (std::uint32_t actor = 1; actor < program().actors.size(); ++actor)
      if (rank(actor) > rank(last)) last = actor;
    return last;
  }

  void settle_accounts() {
    if (options_.account) segment_->bring_accounts_up_to_date();
  }

  void enter(const ProgramState& state) {
    leave();
    segment_.emplace(program(), state,
                     SegmentRecord{&result_.logs, &result_.accounts, options_.path ? &path_ : nullptr,
                                   options_.tracer, &options_.lane},
                     pausing());
  }

  void leave() {
    if (segment_) result_.solved += segment_->solved();
  }

  // ---- laps

  void at_lap() {
    const std::uint32_t loop = segment_->take_lap();
    if (loop == ProgramSegment::no_lap) return;
    ++result_.laps;
    const auto& pacer = program().actors[segment_->pacer()];
    const std::uint32_t depth = program().scripts[pacer.script].ops()[loop].slot;
    // An inner loop that starts anew has nothing to do with what it did before.
    for (std::uint32_t deeper = depth + 1; deeper < most_nested_loops; ++deeper) watches_[deeper].forget();
    if (std::exchange(watched_[depth], loop) != loop) watches_[depth].forget();
    std::optional<Repetition> found;
    if (options_.fold_time || options_.account) settle_accounts();
    if (options_.fold_time) found = watches_[depth].see(program(), *segment_, result_.logs, result_.accounts);
    std::uint64_t quiet = forever;
    if (options_.at_lap && is_outermost(loop) && !ask(depth, found, quiet)) return;
    if (found) try_to_skip(*found, depth, quiet);
  }

  /// Laps of the pacer's loop in a repetition in which nothing is on its way that is not again.
  [[nodiscard]] std::uint64_t cycle_of(const std::optional<Repetition>& found, std::uint32_t depth) const {
    if (!found || !found->moved.empty()) return 0;
    for (const auto& progress : found->progress)
      if (progress.actor == segment_->pacer() && progress.depth == depth) return progress.laps;
    return 0;
  }

  [[nodiscard]] bool is_outermost(std::uint32_t loop) const {
    const auto ops = program().scripts[program().actors[segment_->pacer()].script].ops();
    for (std::uint32_t pc = 0; pc < loop; ++pc) {
      if (ops[pc].kind == Op::Kind::repeat && ops[pc].steady && ops[pc].past > loop) return false;
    }
    return true;
  }

  /// False if the run ends here.
  bool ask(std::uint32_t depth, const std::optional<Repetition>& found, std::uint64_t& quiet) {
    const std::uint64_t laps = segment_->state_of(segment_->pacer()).laps[depth];
    const LapDecision decision =
        options_.at_lap({laps, clock_.duration(segment_->now()), cycle_of(found, depth), result_.cell,
                         result_.logs, result_.accounts});
    quiet = decision.quiet_laps;
    stopped_ = decision.stop;
    return !stopped_;
  }

  void try_to_skip(const Repetition& found, std::uint32_t depth, std::uint64_t quiet) {
    std::uint64_t times = found.times;
    for (const auto& progress : found.progress) {
      if (progress.actor == segment_->pacer() && progress.depth <= depth && quiet != forever) {
        times = std::min(times, quiet / progress.laps);
      }
    }
    times = std::min(times, laps_before_time_limit(found.period));
    if (times == 0) return;
    skip(found, times);
    watches_[depth].forget();
  }

  [[nodiscard]] std::uint64_t laps_before_time_limit(SimTime period) const {
    if (std::isinf(options_.limits.until.base()) || period.ticks == 0) return forever;
    const SimTime room = clock_.ticks(options_.limits.until) - segment_->now();
    return room.ticks > 0 ? static_cast<std::uint64_t>(room.ticks / period.ticks) : 0;
  }

  void skip(const Repetition& repetition, std::uint64_t times) {
    ++result_.skips;
    ProgramState state = segment_->state();
    const double end = static_cast<double>(repetition.period.ticks) * static_cast<double>(times);
    if (end > 9e18) throw Error("the run goes beyond the clock", {}, {}, ErrorKind::internal);
    state.now = clock_.after(state.now, {repetition.period.ticks * static_cast<std::int64_t>(times)});
    for (const auto& progress : repetition.progress) {
      state.actors[progress.actor].laps[progress.depth] += times * progress.laps;
    }
    for (const auto& moved : repetition.moved)
      move_on(state.actors[moved.actor].flight, static_cast<double>(times) * moved.work, clock_);
    for (std::size_t i = 0; i < result_.logs.size(); ++i)
      result_.logs[i].repeat_since(repetition.marks_before[i], times, repetition.period);
    add_repetitions(repetition.accounts_before, times, result_.accounts);
    enter(state);
  }

  /// What was spent since `before` is spent `times` times more.
  static void add_repetitions(const TimeAccounts& before, std::uint64_t times, TimeAccounts& accounts) {
    for (std::size_t i = 0; i < accounts.size(); ++i)
      for (std::size_t op = 0; op < accounts[i].size(); ++op)
        accounts[i][op] += static_cast<std::int64_t>(times) * (accounts[i][op] - before[i][op]);
  }

  const FlowProgram& original_;
  const ProgramOptions& options_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Clock clock_{TickLength::picosecond};
  std::optional<FlowProgram> folded_;
  std::optional<ProgramSegment> segment_;
  PathLog path_;
  std::array<LapWatch, most_nested_loops> watches_;         ///< by depth of the pacer's loops
  std::array<std::uint32_t, most_nested_loops> watched_{};  ///< the loops: their operations
  bool stopped_ = false;
  ProgramResult result_;
};

}  // namespace

std::vector<Mark> ProgramResult::marks(std::uint32_t actor) const {
  std::vector<Mark> out;
  logs[cell.empty() ? actor : cell[actor]].expand(out);
  return out;
}

std::vector<Duration> ProgramResult::spent(std::uint32_t actor) const {
  const Clock clock{TickLength::picosecond};
  std::vector<Duration> out;
  if (accounts.empty()) return out;
  for (const std::int64_t ticks : accounts[cell.empty() ? actor : cell[actor]])
    out.push_back(clock.duration({ticks}));
  return out;
}

ProgramResult simulate(const FlowProgram& program, const ProgramOptions& options) {
  return Simulation(program, options).run();
}

}  // namespace rackcast
