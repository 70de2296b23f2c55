#pragma once
/// The coroutine type that Engine::spawn runs:
///
///   Process reader(Engine& engine, Network& network) { co_await network.run({.work = 1e9, .uses = route}); }
///
/// Frames come from the pool of the Engine found among the coroutine's parameters (any position, by
/// reference); without one they come from operator new. An exception that leaves a process ends Engine::run.
///
/// Parameters taken by reference must outlive the coroutine. A lambda that is a coroutine must not capture:
/// the captures die with the lambda object, before the coroutine ends. Pass parameters.
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

#include "sim/engine/frame_pool.hpp"
#include "sim/engine/wait.hpp"

namespace rackcast {

class Engine;
FramePool& frames_of(Engine& engine);
void process_ended(Engine& engine, ProcessRecord& process) noexcept;
void process_failed(Engine& engine, std::exception_ptr error) noexcept;

/// What every promise shares: frame memory and the process it runs for.
struct PromiseBase {
  ProcessRecord* process = nullptr;

  static void* operator new(std::size_t size) { return FramePool::allocate(size, nullptr); }
  template <class First, class... Rest>
  static void* operator new(std::size_t size, First& first, Rest&... rest) {
    return FramePool::allocate(size, find_pool(first, rest...));
  }
  static void operator delete(void* memory) noexcept { FramePool::release(memory); }

 private:
  static FramePool* find_pool() { return nullptr; }
  template <class First, class... Rest>
  static FramePool* find_pool(First& first, Rest&... rest) {
    if constexpr (std::is_same_v<First, Engine>) {
      return &frames_of(first);
    } else {
      return find_pool(rest...);
    }
  }
};

/// A coroutine that runs on its own once spawned.
class [[nodiscard]] Process {
 public:
  struct promise_type : PromiseBase {
    Engine* engine = nullptr;

    Process get_return_object() { return Process{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Ended {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          process_ended(*self.promise().engine, *self.promise().process);
        }
        void await_resume() noexcept {}
      };
      return Ended{};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { process_failed(*engine, std::current_exception()); }
  };

  Process(Process&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Process() {
    if (frame_) frame_.destroy();
  }

 private:
  friend class Engine;
  explicit Process(std::coroutine_handle<promise_type> frame) : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace rackcast
