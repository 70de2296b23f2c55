#pragma once
/// Where processes meet, besides queues: Barrier and Gate. The names appear in the deadlock report.
#include <cstdint>
#include <string>

#include "sim/engine/engine.hpp"

namespace rackcast {

/// Holds everybody until `parties` have arrived; then starts over for the next round.
class Barrier final : public Waitable {
 public:
  /// Throws Error if parties is zero.
  Barrier(Engine& engine, std::string name, std::uint64_t parties);
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  struct ArriveAwaiter : WaitNode {
    explicit ArriveAwaiter(Barrier& at) : barrier(at) {}

    Barrier& barrier;

    bool await_ready() { return barrier.arrive_last(); }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, barrier);
      barrier.line_.push(*this);
    }
    void await_resume() const noexcept {}
  };
  /// `co_await barrier.arrive()`. The last to arrive goes on at once, the others later in the same instant.
  [[nodiscard]] ArriveAwaiter arrive() { return ArriveAwaiter{*this}; }

  [[nodiscard]] std::string describe(std::uint64_t) const override;

 private:
  bool arrive_last();

  Engine& engine_;
  std::string name_;
  std::uint64_t parties_;
  std::uint64_t arrived_ = 0;
  WaitList line_;
};

/// Opens once and stays open.
class Gate final : public Waitable {
 public:
  Gate(Engine& engine, std::string name) : engine_(engine), name_(std::move(name)) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  [[nodiscard]] bool is_open() const { return open_; }
  void open();

  struct PassAwaiter : WaitNode {
    explicit PassAwaiter(Gate& through) : gate(through) {}

    Gate& gate;

    bool await_ready() const noexcept { return gate.open_; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, gate);
      gate.line_.push(*this);
    }
    void await_resume() const noexcept {}
  };
  /// `co_await gate.pass()` waits until the gate is open.
  [[nodiscard]] PassAwaiter pass() { return PassAwaiter{*this}; }

  [[nodiscard]] std::string describe(std::uint64_t) const override;

 private:
  Engine& engine_;
  std::string name_;
  WaitList line_;
  bool open_ = false;
};

}  // namespace rackcast
