#pragma once
/// Coroutine types. A Process is what Engine::spawn runs; a Task<T> is a helper that a process (or another
/// task) awaits and that returns a T:
///
///   Task<int> fetch(Engine& engine, Network& network, int page) { ...; co_return size; }
///   Process reader(Engine& engine, Network& network) { total += co_await fetch(engine, network, 7); }
///
/// Frames come from the pool of the Engine found among the coroutine's parameters (any position, by
/// reference); without one they come from operator new. An exception that leaves a task is thrown again where
/// the task is awaited; one that leaves a process ends Engine::run.
///
/// Parameters taken by reference must outlive the coroutine. A lambda that is a coroutine must not capture:
/// the captures die with the lambda object, before the coroutine ends. Pass parameters.
#include <coroutine>
#include <exception>
#include <optional>
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

namespace detail {

struct TaskPromiseBase : PromiseBase {
  std::coroutine_handle<> continuation;
  std::exception_ptr error;

  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct Return {
      std::coroutine_handle<> caller;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return caller; }
      void await_resume() noexcept {}
    };
    return Return{continuation};
  }
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void rethrow() const {
    if (error) std::rethrow_exception(error);
  }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;

  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T result() {
    rethrow();
    return std::move(*value);
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  void return_void() noexcept {}
  void result() const { rethrow(); }
};

}  // namespace detail

/// A coroutine that starts when awaited, once, and gives its result to whoever awaits it.
template <class T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::TaskPromise<T> {
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
  };

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class P>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<P> caller) noexcept {
    frame_.promise().process = caller.promise().process;
    frame_.promise().continuation = caller;
    return frame_;
  }
  T await_resume() { return frame_.promise().result(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace rackcast
