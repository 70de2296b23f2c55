#pragma once
/// Steps that several evaluators simulate, each once. A step depends on nothing but its key, so whoever takes
/// one gets what it would have simulated itself. Safe to use from several threads.
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "models/step/training.hpp"
#include "scenarios/evaluate/step_key.hpp"

namespace rackcast {

class SharedRuns {
 public:
  /// `on_new` is told how many there are after each new one, from one thread at a time.
  explicit SharedRuns(std::function<void(std::size_t)> on_new) : on_new_(std::move(on_new)) {}

  /// The step, once whoever simulates it is done; or nothing, and the caller now is the one: it must add()
  /// or abandon() the key, and ask for no other before.
  [[nodiscard]] std::optional<TrainingRun> find_or_claim(const StepKey& key) {
    std::unique_lock lock{mutex_};
    for (;;) {
      const auto [it, fresh] = runs_.try_emplace(key);
      if (fresh) return std::nullopt;
      if (it->second) return it->second;
      changed_.wait(lock);
    }
  }

  void add(const StepKey& key, const TrainingRun& run) {
    const std::lock_guard lock{mutex_};
    runs_.insert_or_assign(key, run);
    ++count_;
    if (on_new_) on_new_(count_);
    changed_.notify_all();
  }

  /// Calls `function` while no other thread is in here or in on_new, so that messages do not mix.
  template <class Function>
  void say(Function&& function) {
    const std::lock_guard lock{mutex_};
    function();
  }

  void abandon(const StepKey& key) {
    const std::lock_guard lock{mutex_};
    runs_.erase(key);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<StepKey, std::optional<TrainingRun>> runs_;  ///< empty: somebody simulates it
  std::size_t count_ = 0;
  std::function<void(std::size_t)> on_new_;
};

}  // namespace rackcast
