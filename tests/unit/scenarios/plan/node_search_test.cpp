// The search for the least number of nodes, on thresholds that are known.
#include "scenarios/answer/node_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace rackcast;

TEST_CASE("the first place that is enough is found from every start") {
  constexpr std::size_t most = 20;
  for (std::size_t first = 0; first < most; ++first) {
    for (std::size_t start = first; start < most; ++start) {
      for (std::size_t threshold = 0; threshold <= most; ++threshold) {
        for (const std::size_t step : {std::size_t{1}, start + 1}) {
          CAPTURE(first);
          CAPTURE(start);
          CAPTURE(threshold);
          std::set<std::size_t> asked;
          const auto found = first_enough({first, most - 1, start, step}, [&](std::size_t place) {
            CHECK(place >= first);
            CHECK(place < most);
            asked.insert(place);
            return place >= threshold;
          });
          CHECK(found.has_value() == (threshold < most));
          if (!found) continue;
          CHECK(*found == std::max(first, threshold));
          CHECK(asked.contains(*found));
          if (*found > first) CHECK(asked.contains(*found - 1));
        }
      }
    }
  }
}

TEST_CASE("no place is asked twice, and few are asked of many") {
  std::vector<std::size_t> asked;
  const auto found = first_enough({0, 99'999, 0, 1}, [&](std::size_t place) {
    asked.push_back(place);
    return place >= 31'415;
  });
  CHECK(found == 31'415);
  CHECK(asked.size() < 34);  // 16 doublings, 15 halvings
  CHECK(std::set<std::size_t>(asked.begin(), asked.end()).size() == asked.size());
}

TEST_CASE("one node has no smaller number") {
  struct Never final : NodeDemand {
    bool enough(int) override { return true; }
    int below(int nodes) override { return nodes - 1; }
    Smaller falls_short(int fewer) override { return {fewer, "deadline", {}, {}}; }
  } demand;
  CHECK_FALSE(why_not_fewer(demand, 1).has_value());
  CHECK(why_not_fewer(demand, 8)->nodes == 7);
}
