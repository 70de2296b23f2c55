#include "calibrate/host/team.hpp"

#include <exception>
#include <utility>

#include "calibrate/measure/experiment.hpp"

namespace rackcast {

Team::Team(int size) {
  threads_.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  {
    const std::scoped_lock lock{mutex_};
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

double Team::run(const std::function<void(int)>& task) {
  std::unique_lock lock{mutex_};
  task_ = &task;
  busy_ = size();
  failure_ = nullptr;
  ++round_;
  const double begin = steady_seconds();
  begin_.notify_all();
  end_.wait(lock, [&] { return busy_ == 0; });
  const double seconds = steady_seconds() - begin;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return seconds;
}

void Team::serve(int index) {
  std::size_t seen = 0;
  for (;;) {
    std::unique_lock lock{mutex_};
    begin_.wait(lock, [&] { return closing_ || round_ != seen; });
    if (closing_) return;
    seen = round_;
    const std::function<void(int)>& task = *task_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task(index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace rackcast
