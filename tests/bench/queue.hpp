#pragma once
/// A bounded first-in-first-out channel between processes.
///
/// push() waits while the queue is full, pop() while it is empty; both are served in the order in which they
/// came, and an item goes straight to the longest-waiting pop(), so nobody can be overtaken. After close(),
/// pop() still gives what was pushed and then nothing; a push is an Error. The name appears in the deadlock
/// report.
#include <fmt/format.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/engine/engine.hpp"

namespace rackcast {

template <class T>
class Queue final : public Waitable {
 public:
  /// Throws Error if the capacity is zero.
  Queue(Engine& engine, std::string name, std::size_t capacity)
      : engine_(engine), name_(std::move(name)), capacity_(capacity) {
    if (capacity == 0) throw Error("queue \"" + name_ + "\" has no room", {}, {}, ErrorKind::internal);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool closed() const { return closed_; }

  /// `co_await queue.push(item)`. Throws Error where it is awaited if the queue is closed.
  [[nodiscard]] auto push(T item) { return PushAwaiter{{}, *this, std::move(item)}; }

  /// `co_await queue.pop()` is an optional<T>; empty once the queue is closed and drained.
  [[nodiscard]] auto pop() { return PopAwaiter{{}, *this, std::nullopt}; }

  void close() {
    closed_ = true;
    while (WaitNode* popper = poppers_.pop()) engine_.wake(*popper);
    while (WaitNode* pusher = pushers_.pop()) {
      static_cast<PushAwaiter*>(pusher)->refused = true;
      engine_.wake(*pusher);
    }
  }

  [[nodiscard]] std::string describe(std::uint64_t) const override {
    return fmt::format("queue \"{}\" ({})", name_, items_.empty() ? "empty" : "full");
  }

 private:
  struct PushAwaiter : WaitNode {
    PushAwaiter(WaitNode node, Queue& target, T value)
        : WaitNode(node), queue(target), item(std::move(value)) {}

    Queue& queue;
    T item;
    bool refused = false;

    bool await_ready() {
      if (queue.closed_) {
        refused = true;
        return true;
      }
      return queue.accept(item);
    }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, queue);
      queue.pushers_.push(*this);
    }
    void await_resume() const {
      if (refused) {
        throw Error("push to queue \"" + queue.name_ + "\", which is closed", {}, {}, ErrorKind::internal);
      }
    }
  };

  struct PopAwaiter : WaitNode {
    PopAwaiter(WaitNode node, Queue& source, std::optional<T> value)
        : WaitNode(node), queue(source), item(std::move(value)) {}

    Queue& queue;
    std::optional<T> item;

    bool await_ready() {
      if (queue.items_.empty()) return queue.closed_;
      item.emplace(std::move(queue.items_.front()));
      queue.items_.pop_front();
      queue.refill();
      return true;
    }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) {
      Engine::note_wait(*this, self, queue);
      queue.poppers_.push(*this);
    }
    std::optional<T> await_resume() { return std::move(item); }
  };

  /// Takes the item unless full.
  bool accept(T& item) {
    if (WaitNode* popper = poppers_.pop()) {
      static_cast<PopAwaiter*>(popper)->item.emplace(std::move(item));
      engine_.wake(*popper);
      return true;
    }
    if (items_.size() == capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }
  /// Room has appeared: the longest-waiting push goes on.
  void refill() {
    if (WaitNode* pusher = pushers_.pop()) {
      items_.push_back(std::move(static_cast<PushAwaiter*>(pusher)->item));
      engine_.wake(*pusher);
    }
  }

  Engine& engine_;
  std::string name_;
  std::size_t capacity_;
  std::deque<T> items_;
  WaitList pushers_;
  WaitList poppers_;
  bool closed_ = false;
};

}  // namespace rackcast
