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
      : original_(program), options_(options), changes_(program.changes) {
    program.check();
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const ProgramChange& a, const ProgramChange& b) { return a.time < b.time; });
  }

  ProgramResult run() {
    ProgramState state = initial_state(original_);
    make_changes_due(state);
    enter(refold(std::move(state)));
    for (;;) {
      const RunSummary summary = segment_->run(limits());
      result_.events += summary.events;
      result_.end = summary.end;
      if (summary.reason == StopReason::paused) {
        at_lap();
        if (stopped_) break;
      } else if (summary.reason == StopReason::time_limit && change_is_due()) {
        at_change();
      } else {
        result_.reason = summary.reason;
        settle_accounts();
        break;
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const FlowProgram& program() const { return folded_ ? folded_->program : original_; }
  [[nodiscard]] bool pausing() const { return options_.fold_time || options_.at_lap; }

  [[nodiscard]] SimTime next_change() const {
    return next_ < changes_.size() ? clock_.ticks(changes_[next_].time) : never;
  }
  [[nodiscard]] bool change_is_due() const { return next_change() <= segment_->now(); }

  [[nodiscard]] Limits limits() const {
    Limits out = options_.limits;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    out.wall_clock -= Duration{spent.count()};
    if (out.max_events != forever) out.max_events -= std::min(out.max_events, result_.events);
    if (next_ < changes_.size() && changes_[next_].time <= out.until) {
      out.until = changes_[next_].time;
      out.more_at_until = true;
    }
    return out;
  }

  // ---- going on from a state

  /// The state of the original program, folded if that is wanted.
  ProgramState refold(ProgramState state) {
    folded_.reset();
    if (options_.fold_space) {
      ++result_.foldings;
      FoldedProgram folded = fold(original_, state);
      if (folded.program.actors.size() < original_.actors.size()) {
        state = std::move(folded.state);
        folded_ = std::move(folded);
      }
    }
    begin_era();
    return state;
  }

  void begin_era() {
    auto& era = result_.eras.emplace_back();
    if (folded_) era.cell = folded_->actor_cell;
    era.logs.resize(program().actors.size());
    if (options_.account)
      for (const ProgramActor& actor : program().actors)
        era.accounts.emplace_back(program().scripts[actor.script].ops().size());
    if (result_.cells == 0) result_.cells = era.logs.size();
    result_.most_cells = std::max(result_.most_cells, era.logs.size());
    for (LapWatch& watch : watches_) watch.forget();
    merge_wait_ = merge_gap_ = 1;
  }

  void settle_accounts() {
    if (options_.account) segment_->bring_accounts_up_to_date();
  }

  void enter(const ProgramState& state) {
    auto& era = result_.eras.back();
    segment_.emplace(program(), state,
                     SegmentRecord{&era.logs, &era.accounts, options_.tracer, &options_.lane}, pausing());
  }

  // ---- changes

  void apply(const ProgramChange& change, ProgramState& state) const {
    if (change.what == ProgramChange::What::capacity) {
      state.capacity[change.index] = change.value;
    } else {
      state.actors[change.index].slowdown = change.value;
    }
  }
  void make_changes_due(ProgramState& state) {
    for (; next_change() <= state.now; ++next_) apply(changes_[next_], state);
  }
  [[nodiscard]] ProgramState unfolded_state() {
    settle_accounts();
    ProgramState state = segment_->state();
    return folded_ ? unfold(state, folded_->actor_cell, folded_->resource_cell) : state;
  }

  /// In full, a change just happens; folded, it may break a cell.
  void at_change() {
    if (!options_.fold_space) {
      for (; change_is_due(); ++next_) apply_live(changes_[next_]);
      for (LapWatch& watch : watches_) watch.forget();
      return;
    }
    ProgramState state = unfolded_state();
    make_changes_due(state);
    state = refold(std::move(state));
    enter(state);
  }
  void apply_live(const ProgramChange& change) {
    if (change.what == ProgramChange::What::capacity) {
      segment_->set_capacity(change.index, change.value);
    } else {
      segment_->set_slowdown(change.index, change.value);
    }
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
    std::vector<MarkLog>& logs = result_.eras.back().logs;
    if (options_.fold_time || options_.account) settle_accounts();
    if (options_.fold_time)
      found = watches_[depth].see(program(), *segment_, logs, result_.eras.back().accounts);
    std::uint64_t quiet = forever;
    if (options_.at_lap && is_outermost(loop) && !ask(depth, found, quiet)) return;
    if (options_.fold_space && is_outermost(loop) && try_to_merge()) return;
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

  /// False if something has changed and the run went on from there.
  bool ask(std::uint32_t depth, const std::optional<Repetition>& found, std::uint64_t& quiet) {
    const std::uint64_t laps = segment_->state_of(segment_->pacer()).laps[depth];
    const auto& era = result_.eras.back();
    LapDecision decision = options_.at_lap(
        {laps, clock_.duration(segment_->now()), cycle_of(found, depth), era.cell, era.logs, era.accounts});
    quiet = decision.quiet_laps;
    if (decision.stop) {
      stopped_ = true;
      return false;
    }
    if (decision.changes.empty()) return true;
    for (ProgramChange& change : decision.changes) change.time = clock_.duration(segment_->now());
    changes_.insert(changes_.begin() + static_cast<std::ptrdiff_t>(next_), decision.changes.begin(),
                    decision.changes.end());
    at_change();
    return false;
  }

  /// Cells split by a change are one again when their states coincide. Tried at laps 1, 3, 7, ... of an era.
  bool try_to_merge() {
    if (result_.eras.size() == 1 || --merge_wait_ != 0) return false;
    merge_wait_ = merge_gap_ *= 2;
    settle_accounts();
    FoldedProgram again = fold(program(), segment_->state());
    ++result_.foldings;
    if (again.program.actors.size() == program().actors.size()) return false;
    if (folded_) {
      for (std::uint32_t& cell : folded_->actor_cell) cell = again.actor_cell[cell];
      for (std::uint32_t& cell : folded_->resource_cell) cell = again.resource_cell[cell];
      std::swap(again.actor_cell, folded_->actor_cell);
      std::swap(again.resource_cell, folded_->resource_cell);
    }
    const ProgramState state = std::move(again.state);
    segment_.reset();
    folded_ = std::move(again);
    begin_era();
    enter(state);
    return true;
  }

  void try_to_skip(const Repetition& found, std::uint32_t depth, std::uint64_t quiet) {
    std::uint64_t times = found.times;
    if (next_change() != never && found.period.ticks > 0) {
      const SimTime room = next_change() - segment_->now();
      times = std::min(times, static_cast<std::uint64_t>(room.ticks / found.period.ticks));
    }
    for (const auto& progress : found.progress) {
      if (progress.actor == segment_->pacer() && progress.depth <= depth && quiet != forever) {
        times = std::min(times, quiet / progress.laps);
      }
    }
    times = std::min(times, laps_before_time_limit(found.period));
    if (times == 0) return;
    skip(found, times, result_.eras.back().logs);
    watches_[depth].forget();
  }

  [[nodiscard]] std::uint64_t laps_before_time_limit(SimTime period) const {
    if (std::isinf(options_.limits.until.base()) || period.ticks == 0) return forever;
    const SimTime room = clock_.ticks(options_.limits.until) - segment_->now();
    return room.ticks > 0 ? static_cast<std::uint64_t>(room.ticks / period.ticks) : 0;
  }

  void skip(const Repetition& repetition, std::uint64_t times, std::vector<MarkLog>& logs) {
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
    for (std::size_t i = 0; i < logs.size(); ++i) {
      logs[i].repeat_since(repetition.marks_before[i], times, repetition.period);
    }
    add_repetitions(repetition.accounts_before, times, result_.eras.back().accounts);
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
  std::vector<ProgramChange> changes_;  ///< by time
  std::size_t next_ = 0;
  std::optional<FoldedProgram> folded_;
  std::optional<ProgramSegment> segment_;
  std::array<LapWatch, most_nested_loops> watches_;         ///< by depth of the pacer's loops
  std::array<std::uint32_t, most_nested_loops> watched_{};  ///< the loops: their operations
  bool stopped_ = false;
  std::uint64_t merge_wait_ = 1, merge_gap_ = 1;
  ProgramResult result_;
};

}  // namespace

std::vector<Mark> ProgramResult::marks(std::uint32_t actor) const {
  std::vector<Mark> out;
  for (const Era& era : eras) era.logs[era.cell.empty() ? actor : era.cell[actor]].expand(out);
  return out;
}

std::vector<Duration> ProgramResult::spent(std::uint32_t actor) const {
  const Clock clock{TickLength::picosecond};
  std::vector<Duration> out;
  for (const Era& era : eras) {
    if (era.accounts.empty()) continue;
    const std::vector<std::int64_t>& ticks = era.accounts[era.cell.empty() ? actor : era.cell[actor]];
    out.resize(ticks.size(), Duration{0});
    for (std::size_t op = 0; op < ticks.size(); ++op) out[op] += clock.duration({ticks[op]});
  }
  return out;
}

ProgramResult simulate(const FlowProgram& program, const ProgramOptions& options) {
  return Simulation(program, options).run();
}

}  // namespace rackcast
