#include "models/step/binding_resources.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace rackcast;

namespace {

using Uses = std::vector<std::pair<int, double>>;

PlanResource link(double capacity, const Uses& uses, bool input = false) {
  return {"link", "link", capacity, input, 1, uses};
}

}  // namespace

TEST_CASE("of links behind each other the slowest is kept") {
  // The same two patterns over 12, 7 and 25 GB/s: parts 1/12 < 1/7, 1/25 < 1/7.
  const std::vector<PlanResource> chain{link(12e9, {{1, 1}, {2, 3}}), link(7e9, {{1, 1}, {2, 3}}),
                                        link(25e9, {{1, 1}, {2, 3}})};
  CHECK(binding_resources(chain, {}) == std::vector<bool>{false, true, false});
}

TEST_CASE("a fast link is kept if a pattern goes over it and not over the slow one, or more of it does") {
  CHECK(binding_resources({link(12e9, {{1, 1}, {3, 1}}), link(7e9, {{1, 1}})}, {}) ==
        std::vector<bool>{true, true});
  // 2/12 > 1/7
  CHECK(binding_resources({link(12e9, {{1, 2}}), link(7e9, {{1, 1}})}, {}) == std::vector<bool>{true, false});
  // 4/12 > 1/7 of pattern 1, 1/12 < 2/7 of pattern 2
  CHECK(binding_resources({link(12e9, {{1, 4}, {2, 1}}), link(7e9, {{1, 1}, {2, 2}})}, {}) ==
        std::vector<bool>{true, true});
}

TEST_CASE("of links that cover each other the first is kept, and what nobody uses is not") {
  CHECK(binding_resources({link(7e9, {}), link(14e9, {{1, 2}}), link(7e9, {{1, 1}})}, {}) ==
        std::vector<bool>{false, true, false});
}

TEST_CASE("scales of the network and the input decide which is slower") {
  // 1/7 of the link, 1/8 of the storage; with a storage at half its rate 1/4.
  const std::vector<PlanResource> two{link(7, {{0, 1}}), link(8, {{0, 1}}, true)};
  CHECK(binding_resources(two, {}) == std::vector<bool>{true, false});
  CHECK(binding_resources(two, {1, 0.5}) == std::vector<bool>{false, true});
}
