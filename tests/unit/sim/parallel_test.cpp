// Loops on several threads: every item once, slots that nobody shares, failures that come out.
#include "sim/base/parallel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace rackcast;

TEST_CASE("every item is done once, whatever the number of threads") {
  for (const int threads : {0, 1, 2, 3, 8}) {
    CAPTURE(threads);
    std::vector<std::atomic<int>> done(1000);
    in_parallel(done.size(), threads, [&](std::size_t item, std::size_t) { ++done[item]; });
    for (const auto& times : done) CHECK(times == 1);
  }
  in_parallel(0, 4, [](std::size_t, std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("one thread takes the items in their order, and is the caller's own") {
  std::vector<std::size_t> order;
  in_parallel(5, 1, [&](std::size_t item, std::size_t slot) {
    CHECK(slot == 0);
    order.push_back(item);
  });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("no two threads use a slot at once") {
  constexpr int threads = 4;
  std::vector<std::atomic<bool>> used(threads);
  std::atomic<int> clashes{0};
  in_parallel(400, threads, [&](std::size_t, std::size_t slot) {
    if (slot >= threads || used[slot].exchange(true)) ++clashes;
    std::this_thread::sleep_for(std::chrono::microseconds{50});
    if (slot < threads) used[slot] = false;
  });
  CHECK(clashes == 0);
}

TEST_CASE("four threads are four at once, on a machine of two cores too") {
  std::atomic<int> together{0};
  std::atomic<bool> met{false};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  in_parallel(4, 4, [&](std::size_t, std::size_t) {
    if (++together == 4) met = true;
    while (!met && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  });
  CHECK(met);
}

TEST_CASE("what an item throws comes out, and no more items are begun") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    std::atomic<int> begun{0};
    const auto fail_at_ten = [&](std::size_t item, std::size_t) {
      ++begun;
      if (item == 10) throw std::runtime_error{"ten"};
      std::this_thread::sleep_for(std::chrono::microseconds{200});
    };
    CHECK_THROWS_WITH_AS(in_parallel(100'000, threads, fail_at_ten), "ten", std::runtime_error);
    CHECK(begun < 50'000);
  }
}
