#include "sim/program/lap_watch.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast {

namespace {

/// The loop at `depth` that holds the operation at pc.
const Op* loop_around(const Script& script, std::uint32_t pc, std::uint32_t depth) {
  const Op* found = nullptr;
  for (std::uint32_t i = 0; i <= pc && i < script.ops().size(); ++i) {
    const Op& op = script.ops()[i];
    if (op.kind == Op::Kind::repeat && op.slot == depth && op.past > pc) found = &op;
  }
  return found;
}

/// Adds the difference of one actor's laps; false if it is not a plain progress in one loop.
bool add_progress(const Script& script, std::uint32_t actor, const ActorState& now, const ActorState& before,
                  Repetition& to) {
  std::uint32_t different = 0;
  for (std::uint32_t depth = 0; depth < most_nested_loops; ++depth) {
    if (now.laps[depth] == before.laps[depth]) continue;
    const Op* loop = loop_around(script, now.pc, depth);
    if (++different > 1 || loop == nullptr || now.laps[depth] < before.laps[depth]) return false;
    const std::uint64_t laps = now.laps[depth] - before.laps[depth];
    // The last lap must end as the loop does, not as its laps do.
    to.times = std::min(to.times, (loop->count - 1 - now.laps[depth]) / laps);
    to.progress.push_back({actor, depth, laps});
  }
  return true;
}

/// Whether the actor is at a flow that outlasts laps, and was at the same one before.
bool outlasts(const FlowProgram& program, std::uint32_t actor, const ActorState& now,
              const ActorState& before) {
  if (now.blocked != Blocked::flowing || before.blocked != Blocked::flowing || now.pc != before.pc ||
      now.laps != before.laps || now.flight.latent || before.flight.latent)
    return false;
  const ProgramActor& a = program.actors[actor];
  const Op& op = program.scripts[a.script].ops()[now.pc];
  return program.flows[a.first_flow + op.slot].arguments.outlasts_laps;
}

/// Takes what is different in a flow that outlasts laps out of the comparison, and notes it.
void add_movement(std::uint32_t actor, ActorState& now, const ActorState& before, const Clock& clock,
                  Repetition& to) {
  const double left = work_left(now.flight, clock), work = work_left(before.flight, clock) - left;
  if (!(work > 0)) return;
  // It may end in the last period, which is simulated.
  const double times = std::floor(left / work) - 1;
  to.times = times < 1 ? 0 : std::min(to.times, static_cast<std::uint64_t>(std::min(times, 1e18)));
  to.moved.push_back({actor, work});
  const double rate = now.flight.rate;
  now.flight = before.flight;
  now.flight.rate = rate;
}

}  // namespace

double work_left(const Flight& flight, const Clock& clock) {
  return flight.left + flight.rate * clock.duration(flight.since).base();
}

void move_on(Flight& flight, double work, const Clock& clock) {
  flight.left = work_left(flight, clock) - work;
  flight.since = {};
  if (flight.rate > 0) flight.due = clock.ticks(Duration{flight.left / flight.rate});
}

std::optional<Repetition> LapWatch::compare(const FlowProgram& program, const ProgramSegment& segment) const {
  if (kept_.actors.empty()) return std::nullopt;
  Repetition out;
  out.times = forever;
  for (std::uint32_t i = 0; i < kept_.actors.size(); ++i) {
    ActorState now = segment.state_of(i);
    if (outlasts(program, i, now, kept_.actors[i]))
      add_movement(i, now, kept_.actors[i], segment.clock(), out);
    if (!now.same_position(kept_.actors[i])) return std::nullopt;
    if (!add_progress(program.scripts[program.actors[i].script], i, now, kept_.actors[i], out)) {
      return std::nullopt;
    }
  }
  if (out.progress.empty()) return std::nullopt;
  out.period = segment.now() - kept_.now;
  out.marks_before = marks_;
  out.accounts_before = accounts_;
  return out;
}

std::optional<Repetition> LapWatch::see(const FlowProgram& program, const ProgramSegment& segment,
                                        const std::vector<MarkLog>& marks, const TimeAccounts& accounts) {
  auto found = compare(program, segment);
  if (found && found->times > 0) return found;
  if (++age_ < reach_) return std::nullopt;
  kept_ = segment.state();
  marks_.clear();
  for (const MarkLog& log : marks) marks_.push_back(log.size());
  accounts_ = accounts;
  age_ = 0;
  reach_ *= 2;
  return std::nullopt;
}

}  // namespace rackcast
