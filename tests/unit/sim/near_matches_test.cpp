#include "sim/base/near_matches.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace rackcast;

namespace {

const std::vector<std::string> names{"deadline", "objective", "max_nodes",
                                     "budget",   "p100-sxm2", "v100-sxm2"};

std::string best(std::string_view wrong) {
  const auto found = near_matches(wrong, std::span<const std::string>{names}, 1);
  return found.empty() ? "" : found.front();
}

}  // namespace

TEST_CASE("typing mistakes lead to the name") {
  CHECK(best("deadlin") == "deadline");    // one left out
  CHECK(best("deadlinee") == "deadline");  // one too many
  CHECK(best("daedline") == "deadline");   // two swapped
  CHECK(best("deadlime") == "deadline");   // one replaced
  CHECK(best("DEADLINE") == "deadline");
  CHECK(best("max-nodes") == "max_nodes");
  CHECK(best("Max Nodes") == "max_nodes");
}

TEST_CASE("parts of a name are near") {
  CHECK(best("dead") == "deadline");
  CHECK(best("nodes") == "max_nodes");
  CHECK(best("p100") == "p100-sxm2");
  CHECK(best("budget_usd") == "budget");
}

TEST_CASE("nonsense leads nowhere") {
  CHECK(best("zzzzzz").empty());
  CHECK(best("x").empty());
  CHECK(best("").empty());
  CHECK(best(std::string(1000000, 'q')).empty());
}

TEST_CASE("the nearest comes first and the count holds") {
  const std::vector<std::string> near{"v100-sxm2", "v100-sxm3", "v100-pcie", "a100-sxm4"};
  const auto found = near_matches("v100-sxm2 ", std::span<const std::string>{near}, 2);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == "v100-sxm2");
  CHECK(found[1] == "v100-sxm3");
}

TEST_CASE("hints and lists read like sentences") {
  constexpr std::array<std::string_view, 3> kinds{"ring", "rings", "tree"};
  const std::span<const std::string_view> span{kinds};
  CHECK(did_you_mean("rin", span) == "did you mean \"ring\" or \"rings\"?");
  CHECK(did_you_mean("zzz", span).empty());
  CHECK(name_list(span) == "ring, rings, tree");
  CHECK(name_list(span, 2) == "ring, rings and 1 more");
}
