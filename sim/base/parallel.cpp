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
  arena.execute([&] {
    std::size_t next = 0;
    const auto take = [&](tbb::flow_control& flow) {
      if (next == count) flow.stop();
      return next++;
    };
    const auto work = [&](std::size_t item) {
      body(item, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    };
    // The first filter is serial, so that items are begun in their order whoever begins them.
    tbb::parallel_pipeline(hands,
                           tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, take) &
                               tbb::make_filter<std::size_t, void>(tbb::filter_mode::parallel, work));
  });
}

}  // namespace rackcast
