#pragma once
/// Runs a FlowProgram from a given state on an engine and a network of its own, one coroutine per actor.
///
/// A segment can stop whenever an instant is over and say where everybody stands; another segment can go on
/// from there, to the last bit. Whether the program is folded makes no difference here.
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/fluid.hpp"
#include "sim/program/mark_log.hpp"
#include "sim/program/path_log.hpp"
#include "sim/program/state.hpp"
#include "sim/program/time_accounts.hpp"

namespace rackcast {

/// What a segment writes down as it goes.
struct SegmentRecord {
  std::vector<MarkLog>* marks = nullptr;  ///< one log per actor
  TimeAccounts* accounts = nullptr;       ///< empty: none are kept
  PathLog* path = nullptr;                ///< absent: not kept
  Tracer* tracer = nullptr;
  const LaneOfActor* lane = nullptr;
};

class ProgramSegment final : public Waitable {
 public:
  /// The first actor that has not ended and has a steady loop is the pacer: run() pauses after the instant in
  /// which it begins another lap, if `pausing`.
  ProgramSegment(const FlowProgram& program, const ProgramState& state, const SegmentRecord& record,
                 bool pausing);
  ProgramSegment(const ProgramSegment&) = delete;
  ProgramSegment& operator=(const ProgramSegment&) = delete;
  ~ProgramSegment() override;

  RunSummary run(const Limits& limits) { return engine_.run(limits); }
  [[nodiscard]] SimTime now() const { return engine_.now(); }
  [[nodiscard]] const SolvedProblems& solved() const { return network_.solved(); }
  [[nodiscard]] const Clock& clock() const { return engine_.clock(); }

  /// Only between instants: after a pause, the end or a limit of simulated time.
  [[nodiscard]] ActorState state_of(std::uint32_t actor) const;
  [[nodiscard]] ProgramState state() const;

  /// The outermost steady loop of which the pacer has begun another lap since the last call: its operation.
  [[nodiscard]] std::uint32_t take_lap() { return std::exchange(lap_, no_lap); }
  [[nodiscard]] std::uint32_t pacer() const { return pacer_; }
  static constexpr std::uint32_t no_lap = 0xffffffff;

  /// Writes down what blocked actors have waited so far, between instants.
  void bring_accounts_up_to_date();

  [[nodiscard]] std::string describe(std::uint64_t actor) const override;

 private:
  struct Live : ActorState {
    ActivityId activity{};
    WaitNode* waiter = nullptr;
    SimTime since{};  ///< at this operation, as far as it is not in the accounts
  };
  struct PermitAwaiter;

  static Process act(Engine& engine, ProgramSegment& self, std::uint32_t index);
  void choose_pacer();
  [[nodiscard]] Activity activity(std::uint32_t actor, const Op& op) const;
  [[nodiscard]] bool take_permits(Live& actor) const;
  void signal(std::uint32_t actor, std::uint32_t slot);
  void turn(std::uint32_t index, Live& actor);
  void trace(std::uint32_t actor, const Op& op, SimTime start);
  void account(std::uint32_t actor, std::uint32_t operation);
  /// A sleep or flow is over.
  void ended(std::uint32_t actor, std::uint32_t operation);
  [[nodiscard]] const ProgramFlow& flow_of(std::uint32_t actor, const Op& op) const;
  [[nodiscard]] double capacity_left(std::uint32_t resource) const;
  void hold(const ProgramFlow& flow);
  void release(const ProgramFlow& flow);

  const FlowProgram& program_;
  Engine engine_;
  Network network_;
  SignalIndex signals_;
  std::vector<Live> live_;
  std::vector<std::uint32_t> holders_;  ///< of each resource
  std::vector<TrackId> tracks_;
  std::vector<MarkLog>& marks_;
  TimeAccounts& accounts_;
  PathLog* path_;
  std::uint32_t pacer_ = no_lap;
  std::uint32_t lap_ = no_lap;
  bool pausing_;
};

}  // namespace rackcast
