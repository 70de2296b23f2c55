#pragma once
/// What processes meet at besides queues: Semaphore, Barrier, Gate. All serve first come, first served; the
/// names appear in the deadlock report.
#include <cstdint>
#include <string>

#include "sim/engine/engine.hpp"

namespace rackcast {

/// A pool of permits. A large request at the head of the line holds back small ones behind it.
class Semaphore final : public Waitable {
 public:
  Semaphore(Engine& engine, std::string name, std::uint64_t permits)
      : engine_(engine), name_(std::move(name)), permits_(permits) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  [[nodiscard]] std::uint64_t available() const { return permits_; }

  struct AcquireAwaiter : WaitNode {
    AcquireAwaiter(Semaphore& from, std::uint64_t permits) : semaphore(from), count(permits) {}

    Semaphore& semaphore;
    std::uint64_t count;

    bool await_ready() {
      if (!semaphore.line_.empty() || semaphore.permits_ < count) return false;
      semaphore.permits_ -= count;
      return true;
    }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, semaphore, count);
      semaphore.line_.push(*this);
    }
    void await_resume() const noexcept {}
  };
  /// `co_await semaphore.acquire(n)`.
  [[nodiscard]] AcquireAwaiter acquire(std::uint64_t count = 1) { return {*this, count}; }

  void release(std::uint64_t count = 1) {
    permits_ += count;
    while (WaitNode* node = line_.front()) {
      const std::uint64_t wanted = static_cast<AcquireAwaiter*>(node)->count;
      if (wanted > permits_) return;
      permits_ -= wanted;
      line_.pop();
      engine_.wake(*node);
    }
  }

  [[nodiscard]] std::string describe(std::uint64_t count) const override;

 private:
  Engine& engine_;
  std::string name_;
  std::uint64_t permits_;
  WaitList line_;
};

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
