#include "sim/program/segment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {

ProgramSegment::ProgramSegment(const FlowProgram& program, const ProgramState& state,
                               const SegmentRecord& record, bool pausing)
    : program_(program),
      engine_(TickLength::picosecond, state.now),
      network_(engine_),
      signals_(program),
      marks_(*record.marks),
      accounts_(*record.accounts),
      path_(record.path),
      pausing_(pausing) {
  Tracer* const tracer = record.tracer;
  engine_.set_tracer(tracer);
  live_.resize(program.actors.size());
  if (path_) path_->begin(live_.size(), state.now);
  for (std::uint32_t i = 0; i < live_.size(); ++i) static_cast<ActorState&>(live_[i]) = state.actors[i];
  holders_.resize(program.resources.size());
  for (std::uint32_t i = 0; i < live_.size(); ++i)
    if (live_[i].blocked == Blocked::flowing)
      for (const ResourceId held :
           program.holds_of(flow_of(i, program.scripts[program.actors[i].script].ops()[live_[i].pc])))
        ++holders_[held.index];
  for (std::uint32_t r = 0; r < program.resources.size(); ++r)
    network_.add_units(program.resource_name(r), capacity_left(r));
  for (const std::vector<ResourceId>& set : program.twins) network_.set_twins(set);
  for (std::uint32_t i = 0; i < live_.size(); ++i) {
    Live& actor = live_[i];
    actor.since = state.now;
    if (tracer != nullptr)
      tracks_.push_back(*record.lane ? (*record.lane)(*tracer, i) : tracer->track(program.actor_name(i)));
    if (actor.blocked == Blocked::ended) continue;
    if (actor.blocked == Blocked::asleep) actor.until = {state.now.ticks + actor.until.ticks};
    if (actor.blocked == Blocked::flowing) {
      const Op& op = program.scripts[program.actors[i].script].ops()[actor.pc];
      actor.activity = network_.resume(activity(i, op), actor.flight);
    }
    engine_.spawn(program.actor_name(i), act(engine_, *this, i),
                  {.daemon = program.scripts[program.actors[i].script].is_daemon()});
  }
  choose_pacer();
}

ProgramSegment::~ProgramSegment() = default;

void ProgramSegment::choose_pacer() {
  for (std::uint32_t i = 0; i < live_.size(); ++i) {
    const auto ops = program_.scripts[program_.actors[i].script].ops();
    if (live_[i].blocked == Blocked::ended) continue;
    if (std::ranges::any_of(ops, [](const Op& op) { return op.kind == Op::Kind::repeat && op.steady; })) {
      pacer_ = i;
      return;
    }
  }
}

/// Waits for the actor's own permits.
struct ProgramSegment::PermitAwaiter : WaitNode {
  PermitAwaiter(ProgramSegment& in, std::uint32_t of) : segment(in), index(of) {}

  ProgramSegment& segment;
  std::uint32_t index;

  bool await_ready() const { return segment.take_permits(segment.live_[index]); }
  template <class P>
  void await_suspend(std::coroutine_handle<P> self) {
    Engine::note_wait(*this, self, segment, index);
    Live& actor = segment.live_[index];
    actor.blocked = Blocked::waiting;
    actor.waiter = this;
  }
  void await_resume() const noexcept {}
};

/// The interpreter. An actor that was blocked in the state it starts from first waits for the end of that.
Process ProgramSegment::act(Engine& engine, ProgramSegment& self, std::uint32_t index) {
  Live& actor = self.live_[index];
  const std::span<const Op> ops = self.program_.scripts[self.program_.actors[index].script].ops();
  if (actor.blocked == Blocked::asleep) {
    co_await engine.sleep_until(actor.until);
    self.ended(index, actor.pc++);
  } else if (actor.blocked == Blocked::flowing) {
    co_await self.network_.wait(actor.activity);
    self.release(self.flow_of(index, ops[actor.pc]));
    self.ended(index, actor.pc++);
  }
  for (; actor.pc < ops.size(); ++actor.pc) {
    actor.blocked = Blocked::no;
    const Op& op = ops[actor.pc];
    switch (op.kind) {
      case Op::Kind::sleep: {
        const std::uint32_t slot = self.program_.actors[index].first_duration + op.slot;
        actor.until = engine.time_after(self.program_.durations[slot]);
        if (actor.until == engine.now()) break;
        actor.blocked = Blocked::asleep;
        const SimTime start = engine.now();
        co_await engine.sleep_until(actor.until);
        self.ended(index, actor.pc);
        self.trace(index, op, start);
        break;
      }
      case Op::Kind::flow:
        self.hold(self.flow_of(index, op));
        actor.activity = self.network_.start(self.activity(index, op));
        actor.blocked = Blocked::flowing;
        co_await self.network_.wait(actor.activity);
        self.release(self.flow_of(index, op));
        self.ended(index, actor.pc);
        break;
      case Op::Kind::signal:
        self.signal(index, op.slot);
        break;
      case Op::Kind::wait: {
        const SimTime start = engine.now();
        co_await PermitAwaiter{self, index};
        self.account(index, actor.pc);
        if (!op.name.empty()) self.trace(index, op, start);
        break;
      }
      case Op::Kind::repeat:
        if (op.count == 0) actor.pc = op.past - 1;
        break;
      case Op::Kind::end:
        self.turn(index, actor);
        break;
      case Op::Kind::mark:
        self.marks_[index].add(op.slot, engine.now());
        break;
    }
  }
  actor.blocked = Blocked::ended;
  actor.until = engine.now();
}

/// At the end of a loop: another lap or on.
void ProgramSegment::turn(std::uint32_t index, Live& actor) {
  const auto ops = program_.scripts[program_.actors[index].script].ops();
  const std::uint32_t begin = ops[actor.pc].slot;
  const Op& loop = ops[begin];
  std::uint64_t& lap = actor.laps[loop.slot];
  ++lap;
  if (loop.count == forever) {
    lap = 0;
  } else if (lap == loop.count) {
    lap = 0;
    return;
  }
  actor.pc = begin;
  if (pausing_ && loop.steady && index == pacer_) {
    lap_ = std::min(lap_, begin);
    engine_.pause_after_instant();
  }
}

const ProgramFlow& ProgramSegment::flow_of(std::uint32_t index, const Op& op) const {
  return program_.flows[program_.actors[index].first_flow + op.slot];
}

double ProgramSegment::capacity_left(std::uint32_t resource) const {
  const double lost = holders_[resource] > 0 ? program_.resources[resource].lost_if_held : 0;
  return program_.resources[resource].capacity * (1 - lost);
}

void ProgramSegment::hold(const ProgramFlow& flow) {
  for (const ResourceId held : program_.holds_of(flow)) {
    ++holders_[held.index];
    network_.set_capacity(held, capacity_left(held.index));
  }
}

void ProgramSegment::release(const ProgramFlow& flow) {
  for (const ResourceId held : program_.holds_of(flow)) {
    --holders_[held.index];
    network_.set_capacity(held, capacity_left(held.index));
  }
}

Activity ProgramSegment::activity(std::uint32_t index, const Op& op) const {
  const ProgramFlow& flow = flow_of(index, op);
  return {.work = flow.arguments.work,
          .uses = program_.uses_of(flow),
          .weight = flow.arguments.weight,
          .rate_cap = flow.arguments.rate_cap,
          .latency = flow.arguments.latency,
          .name = op.name,
          .track = tracks_.empty() ? TrackId{} : tracks_[index]};
}

bool ProgramSegment::take_permits(Live& actor) const {
  const auto index = static_cast<std::size_t>(&actor - live_.data());
  const Op& op = program_.scripts[program_.actors[index].script].ops()[actor.pc];
  std::uint32_t& permits = actor.permits[op.slot];
  if (permits < op.count) return false;
  permits -= static_cast<std::uint32_t>(op.count);
  return true;
}

void ProgramSegment::signal(std::uint32_t index, std::uint32_t slot) {
  for (const ProgramSignal& s : signals_.of(index, slot)) {
    Live& to = live_[s.to];
    to.permits[s.channel] += s.permits;
    if (to.waiter == nullptr || !take_permits(to)) continue;
    engine_.wake(*std::exchange(to.waiter, nullptr));
    if (path_) path_->released(s.to, index);
  }
}

void ProgramSegment::trace(std::uint32_t actor, const Op& op, SimTime start) {
  if (engine_.tracer() != nullptr && tracks_[actor].index != 0 && start < engine_.now())
    engine_.tracer()->span(tracks_[actor], op.name, start, engine_.now());
}

/// Actors take no time between operations, so what has passed since the last entry is this operation's.
void ProgramSegment::account(std::uint32_t index, std::uint32_t operation) {
  if (accounts_.empty()) return;
  Live& actor = live_[index];
  accounts_[index][operation] += (engine_.now() - actor.since).ticks;
  actor.since = engine_.now();
}

void ProgramSegment::ended(std::uint32_t index, std::uint32_t operation) {
  account(index, operation);
  if (path_) path_->ended(index, operation, engine_.now());
}

void ProgramSegment::bring_accounts_up_to_date() {
  for (std::uint32_t i = 0; i < live_.size(); ++i)
    if (live_[i].blocked != Blocked::ended && live_[i].blocked != Blocked::no) account(i, live_[i].pc);
}

ActorState ProgramSegment::state_of(std::uint32_t index) const {
  const Live& actor = live_[index];
  ActorState out = static_cast<const ActorState&>(actor);  // without what lives in this segment alone
  out.flight = {};
  if (out.blocked == Blocked::flowing) {
    out.flight = network_.flight(actor.activity);
    out.until = {};
  } else if (out.blocked == Blocked::asleep) {
    out.until = out.until - engine_.now();
  } else if (out.blocked == Blocked::waiting) {
    out.until = {};
  }
  return out;
}

ProgramState ProgramSegment::state() const {
  ProgramState out;
  out.now = engine_.now();
  out.actors.reserve(live_.size());
  for (std::uint32_t i = 0; i < live_.size(); ++i) out.actors.push_back(state_of(i));
  return out;
}

std::string ProgramSegment::describe(std::uint64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  const Live& actor = live_[at];
  const Op& op = program_.scripts[program_.actors[at].script].ops()[actor.pc];
  return fmt::format("{} permits on its channel {} (has {})", op.count, op.slot, actor.permits[op.slot]);
}

}  // namespace rackcast
