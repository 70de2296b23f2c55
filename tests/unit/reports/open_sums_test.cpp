// A sum that leaves something out never wins a search for the lowest cost. The answer says what might.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "reports/pages/report.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/plan_sentences.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/serving/service_result.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("issue 23, item 8: the lowest cost names what may cost less, and what that lacks") {
  const std::vector<std::string> none, prices{"1 x switch", "2 x cable", "3 x rail"};
  CHECK(
      reports::rivals_text(2e6, {{"5 x B", 1e6, &none, &none, &none}}).empty());  // whole, so it was compared
  CHECK(reports::rivals_text(2e6, {{"5 x B", 2.5e6, &prices, &none, &none}}).empty());  // costs more as it is
  CHECK(reports::rivals_text(2e6, {{"5 x B", 1e6, &prices, &none, &none}}) ==
        " 5 x B may cost less: at least 1 million USD, without 1 x switch, 2 x cable and 1 more, whose price "
        "is not "
        "known. A sum that leaves something out is never the lowest; state what is missing "
        "(\"site.prices.items\") to "
        "compare it.");
}

TEST_CASE("issue 23, item 8: a fleet that serves at the lowest cost says which other fleet may cost less") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/llm_serving.json";
  const auto answer = [&](const char* objective) {
    const Scenario s =
        read_serving_scenario(load_scenario_text(file, {std::string{"goal.objective="} + objective}), file);
    return reports::answer_text(
        reports::load_result(checked_json_text(size_service(s, Catalog::builtin())), "result"));
  };
  const std::string cheapest = answer("lowest-cost");
  CAPTURE(cheapest);
  CHECK(cheapest.find("NVIDIA DGX H100 in fp8 may cost less: at least") != std::string::npos);
  CHECK(answer("fewest-nodes").find("may cost less") == std::string::npos);
}
