#pragma once
/// Threads that do one thing together, again and again, without being started anew. A measurement of memory
/// or links needs all of them at the same moment, each from start to end on a thread of its own: a scheduler
/// of tasks (sim/base/parallel.hpp), free to run two of them one after the other, would measure something
/// else.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rackcast {

class Team {
 public:
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs task(0) ... task(size-1), each on a thread of its own, and returns the seconds from the start of
  /// the first to the end of the last. An exception of a task is thrown again here.
  double run(const std::function<void(int)>& task);
  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }

 private:
  void serve(int index);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(int)>* task_ = nullptr;
  std::exception_ptr failure_;
  std::size_t round_ = 0;
  int busy_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace rackcast
