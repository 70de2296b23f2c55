#include "models/data_path/page_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "models/data_path/host_memory.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

using namespace rackcast;

namespace {

CacheSpec one_node(double set, double cache) {
  CacheSpec spec;
  spec.set = Bytes{set};
  spec.page_cache = Bytes{cache};
  spec.sharding = Sharding::fixed;
  return spec;
}

/// Hit ratio of a real LRU cache over several shuffled epochs.
double lru_by_hand(std::size_t items, std::size_t room, int epochs) {
  RandomStream random{7, "shuffle"};
  std::list<std::size_t> order;
  std::unordered_map<std::size_t, std::list<std::size_t>::iterator> where;
  std::vector<std::size_t> epoch(items);
  std::iota(epoch.begin(), epoch.end(), std::size_t{0});
  double hits = 0;
  for (int e = 0; e < epochs; ++e) {
    for (std::size_t i = items - 1; i > 0; --i)
      std::swap(epoch[i], epoch[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
    for (const std::size_t item : epoch) {
      if (const auto it = where.find(item); it != where.end()) {
        if (e > 0) ++hits;
        order.erase(it->second);
      } else if (order.size() == room) {
        where.erase(order.back());
        order.pop_back();
      }
      order.push_front(item);
      where[item] = order.begin();
    }
  }
  return hits / static_cast<double>(items) / (epochs - 1);
}

}  // namespace

TEST_CASE("the first epoch is cold, the second comes from memory when the set fits") {
  const CacheSpec spec = one_node(100e9, 200e9);
  CHECK(epoch_hits(spec, 0).storage == 1);
  CHECK(epoch_hits(spec, 1).page_cache == 1);
  CHECK(epoch_hits(spec, 1).storage == 0);
}

TEST_CASE("shards in the same order thrash an LRU cache to nothing; without replacement it keeps its share") {
  CacheSpec spec = one_node(100e9, 90e9);
  spec.order = ReadOrder::sequential;
  CHECK(epoch_hits(spec, 5).page_cache == 0);
  spec.eviction = Eviction::none;
  CHECK(epoch_hits(spec, 5).page_cache == doctest::Approx(0.9));
}

TEST_CASE("shuffled epochs under LRU hit less than the cached fraction") {
  // c = 1/2: 1/2 + 1/2 ln(1/2) = 0.5 - 0.34657 = 0.15343.
  CHECK(epoch_hits(one_node(100e9, 50e9), 1).page_cache == doctest::Approx(0.15343).epsilon(1e-4));
}

TEST_CASE("the closed form is what a real LRU cache does") {
  for (const double c : {0.25, 0.5, 0.8}) {
    const auto room = static_cast<std::size_t>(c * 2000);
    const double closed = epoch_hits(one_node(2000, static_cast<double>(room)), 1).page_cache;
    CHECK(std::abs(lru_by_hand(2000, room, 30) - closed) < 0.01);
  }
}

TEST_CASE("nodes that own a part cache more together than one") {
  CacheSpec spec = one_node(400e9, 100e9);
  CHECK(epoch_hits(spec, 1).page_cache < 1);
  spec.nodes = 4;  // 100 GB each
  CHECK(epoch_hits(spec, 1).page_cache == 1);
}

TEST_CASE("a part drawn anew every epoch warms the cache slowly") {
  CacheSpec spec = one_node(100e9, 1e12);
  spec.sharding = Sharding::resampled;
  spec.nodes = 2;  // seen after one epoch: 1/2, after two: 3/4
  CHECK(epoch_hits(spec, 1).page_cache == doctest::Approx(0.5));
  CHECK(epoch_hits(spec, 2).page_cache == doctest::Approx(0.75));
  spec.page_cache = Bytes{30e9};
  CHECK(epoch_hits(spec, 50).page_cache == doctest::Approx(0.3));
}

TEST_CASE("workers that read the whole set each stay cold for their first pass") {
  CacheSpec spec = one_node(100e9, 200e9);
  spec.sharding = Sharding::all;
  spec.nodes = 4;  // a pass of one worker takes four epochs of the cluster
  CHECK(epoch_hits(spec, 3).storage == 1);
  CHECK(epoch_hits(spec, 4).storage == 0);
  const auto phases = epoch_phases(spec, 10);
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].epochs == 4);
  CHECK(phases[1].epochs == 6);
}

TEST_CASE("a local SSD serves what the page cache misses") {
  CacheSpec spec = one_node(100e9, 50e9);
  spec.ssd_cache = Bytes{200e9};
  const EpochHits hits = epoch_hits(spec, 1);
  CHECK(hits.page_cache == doctest::Approx(0.15343).epsilon(1e-4));
  CHECK(hits.page_cache + hits.ssd_cache == doctest::Approx(1));
  CHECK(hits.storage == doctest::Approx(0));
}

TEST_CASE("phases add up to the epochs, and to one where nothing is ever cached") {
  CHECK(epoch_phases(one_node(100e9, 0), 44).size() == 1);
  const auto phases = epoch_phases(one_node(100e9, 200e9), 44);
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].epochs + phases[1].epochs == 44);
  CHECK(epoch_phases(one_node(100e9, 200e9), 0.5).size() == 1);
  CHECK_THROWS_AS(epoch_hits(one_node(0, 1), 1), Error);
}

TEST_CASE("the page cache is what the job leaves") {
  // 512 - 16 - 8 x (6 + 2 x 1 + 4) = 512 - 16 - 96 = 400 GB.
  CHECK(page_cache_size(Bytes{512e9}, {8, Bytes{1e9}, 2, Bytes{4e9}}).base() == doctest::Approx(400e9));
  CHECK(page_cache_size(Bytes{8e9}, {8, Bytes{0}, 2, Bytes{0}}).base() == 0);
}
