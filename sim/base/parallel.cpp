#include "sim/base/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

// oneTBB orders what its threads do one after the other. The thread sanitizer does not see into the library,
// and is told: all before `release` of an address is before all after the next `acquire` of it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
extern "C" void __tsan_acquire(const void*);
extern "C" void __tsan_release(const void*);
#define RACKCAST_ACQUIRE(address) __tsan_acquire(address)
#define RACKCAST_RELEASE(address) __tsan_release(address)
#endif
#endif
#ifndef RACKCAST_ACQUIRE
#define RACKCAST_ACQUIRE(address)
#define RACKCAST_RELEASE(address)
#endif

namespace rackcast {

namespace {

/// Whether so many more threads can be had at once; a limit on memory or processes may forbid it.
bool can_start(std::size_t threads) {
  std::latch leave{1};
  std::vector<std::jthread> started;
  bool all = true;
  try {
    started.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) started.emplace_back([&leave] { leave.wait(); });
  } catch (const std::exception&) {  // std::system_error or std::bad_alloc
    all = false;
  }
  leave.count_down();
  return all;
}

}  // namespace

int available_threads() {
  return std::max(1, tbb::info::default_concurrency());
}

void in_parallel(std::size_t count, int threads,
                 const std::function<void(std::size_t item, std::size_t slot)>& body) {
  const auto most = static_cast<std::size_t>(threads > 0 ? threads : available_threads());
  const std::size_t hands = std::min(most, count);
  if (hands <= 1 || !can_start(hands - 1)) {
    for (std::size_t item = 0; item < count; ++item) body(item, 0);
    return;
  }
  // More threads than cores are meant: whoever asks for four compares four with one.
  const tbb::global_control allowed{tbb::global_control::max_allowed_parallelism, hands};
  tbb::task_arena arena{static_cast<int>(hands)};
  std::size_t next = 0;
  const std::vector<char> slots(hands);  // their addresses stand for them
  const auto take = [&](tbb::flow_control& flow) {
    RACKCAST_ACQUIRE(&next);
    if (next == count) flow.stop();
    const std::size_t item = next++;
    RACKCAST_RELEASE(&next);
    return item;
  };
  const auto work = [&](std::size_t item) {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    RACKCAST_ACQUIRE(&next);
    RACKCAST_ACQUIRE(&slots[slot]);
    body(item, slot);
    RACKCAST_RELEASE(&slots[slot]);
  };
  // What follows the work follows all of it, also where an exception ends it.
  struct Caller {
    const std::size_t& next;
    const std::vector<char>& slots;
    ~Caller() {
      RACKCAST_ACQUIRE(&next);
      for ([[maybe_unused]] const char& slot : slots) RACKCAST_ACQUIRE(&slot);
    }
  };
  const Caller caller{next, slots};
  RACKCAST_RELEASE(&next);
  arena.execute([&] {
    // The first filter is serial, so that items are begun in their order whoever begins them.
    tbb::parallel_pipeline(hands,
                           tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, take) &
                               tbb::make_filter<std::size_t, void>(tbb::filter_mode::parallel, work));
  });
}

}  // namespace rackcast
