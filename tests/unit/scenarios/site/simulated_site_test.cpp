// A simulation checks the limits of its site as a search does.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "sim/json/reader.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Result simulated(const std::string& site, const std::string& more = "") {
  const std::string text = R"({"name": "x", "data": {"samples": 1281167, "bytes_per_sample": "0.1 MB"},
    "storage": {"array": "none"}, "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 64})" +
                           more + R"(], "cluster": {"node": "dgx1v_16gb", "nodes": 8}, "site": )" + site +
                           "}";
  return simulate(read_scenario(parse_json(text, "x.json"), "x.json"), Catalog::builtin());
}

}  // namespace

TEST_CASE("a simulation says which limits of the site its cluster breaks, and still how long it takes") {
  const Result r =
      simulated(R"({"power": {"feed": "20 kW"}, "prices": {"date": "2018-06-30", "budget": "100000 USD"}})",
                R"(, {"model": "alexnet", "epochs": 1, "batch_per_gpu": 64})");
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.answer.binding_constraint == "site_power");
  REQUIRE(r.answer.conflicts.size() == 2);
  CHECK(r.answer.conflicts[0].required == "20 kW");
  CHECK(r.answer.conflicts[1].limit == Limit::budget);
  CHECK(answer_sentence(r).find("draw") != std::string::npos);
  CHECK(answer_sentence(r).find("8 x NVIDIA DGX-1V") != std::string::npos);
  CHECK(r.prediction.time_to_train.value > 0);
  (void)checked_json_text(r);
}

TEST_CASE("a simulation within the limits of its site breaks none") {
  const Result r = simulated(R"({"power": {"feed": "200 kW"}, "racks": {"max_racks": 8}})");
  CHECK(r.answer.feasible);
  CHECK(r.answer.conflicts.empty());
}
