#pragma once
/// What a waiting coroutine leaves behind: a node in the list of what it waits for, inside its own frame, and
/// a note in its process record that names the thing waited for, so that a deadlock can be explained.
#include <coroutine>
#include <cstdint>
#include <string>

namespace rackcast {

/// Something a process can wait for.
class Waitable {
 public:
  virtual ~Waitable() = default;

  /// For the deadlock report, e.g. `an activity ..., stalled on "node3/nic/tx"`. `token` is what the waiter
  /// noted.
  [[nodiscard]] virtual std::string describe(std::uint64_t token) const = 0;
  /// Whether it is still in progress and will end, but only beyond the range of the clock.
  [[nodiscard]] virtual bool outlasts_clock(std::uint64_t /*token*/) const { return false; }

 protected:
  Waitable() = default;
  Waitable(const Waitable&) = default;
  Waitable& operator=(const Waitable&) = default;
};

struct ProcessRecord;

/// One suspended coroutine. Lives in the awaiter, hence in the coroutine's frame.
struct WaitNode {
  std::coroutine_handle<> coroutine;
  ProcessRecord* process = nullptr;
  WaitNode* next = nullptr;
};

/// First come, first served.
class WaitList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] WaitNode* front() const { return head_; }

  void push(WaitNode& node) {
    node.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &node;
    tail_ = &node;
  }
  WaitNode* pop() {
    WaitNode* node = head_;
    if (node != nullptr) head_ = node->next;
    return node;
  }

 private:
  WaitNode* head_ = nullptr;
  WaitNode* tail_ = nullptr;
};

/// What the engine knows about a process. Its slot is used again after the process ended.
struct ProcessRecord {
  std::string name;
  std::coroutine_handle<> frame;
  const Waitable* waits_for = nullptr;
  std::uint64_t waits_token = 0;
  bool daemon = false;
};

}  // namespace rackcast
