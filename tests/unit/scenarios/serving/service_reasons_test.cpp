// Why a fleet that serves is none: what binds, how much of it is needed, and what a change would break.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/serving/service_result.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& shipped() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario photos(const std::string& serving, const std::string& cluster, const std::string& rest) {
  const std::string text = R"({"name": "photos", "serving": {"model": "resnet50-v1.5", "precision": "fp16",
      "rate": "60000/s", "peak": 2, "latency": "20 ms", "max_batch": 32)" +
                           serving + R"(}, "cluster": {"node": "dgx1v_16gb")" + cluster + "}" + rest + "}";
  return read_serving_scenario(parse_json(text, "fleet.json"), "fleet.json");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a change that takes more nodes than there may be has no answer, and says what it breaks") {
  const ServiceResult r = size_service(
      photos("", "", R"(, "goal": {"max_nodes": 6}, "site": {"racks": {"max_racks": 3, "power": "12 kW"}})"),
      shipped());
  REQUIRE(r.answer.feasible);
  const auto& changes = r.answer.changes;
  const auto fp32 = std::ranges::find_if(
      changes, [](const Change& c) { return c.input == "precision" && c.change == "fp32"; });
  REQUIRE(fp32 != changes.end());
  CHECK_FALSE(fp32->nodes);
  CHECK(has(reports::why_text(fp32->why),
            "nodes would do, but they break these limits: most nodes (6 nodes allowed)"));
  CHECK(has(reports::why_text(fp32->why), ", racks (3 racks allowed)"));
  const auto even = std::ranges::find(changes, std::string{"peak"}, &Change::input);
  REQUIRE(even != changes.end());
  CHECK(even->nodes);  // fewer keep everything
}

TEST_CASE("a limit that decides the number of nodes binds, though a tenth more of it changes nothing") {
  const ServiceResult r =
      size_service(photos(R"(, "availability": 0.999)", "", R"(, "goal": {"max_nodes": 100})"), shipped());
  REQUIRE(r.answer.feasible);
  REQUIRE(r.chosen.spares > 0);  // without it there would be none
  const auto availability =
      std::ranges::find(r.relaxations, std::string{"availability"}, &doc::Plan::Relaxation::limit);
  REQUIRE(availability != r.relaxations.end());
  CHECK_FALSE(availability->answer);
  CHECK(availability->binds);
  const auto memory =
      std::ranges::find(r.relaxations, std::string{"gpu_memory"}, &doc::Plan::Relaxation::limit);
  REQUIRE(memory != r.relaxations.end());
  CHECK_FALSE(memory->binds);
}

TEST_CASE("a conflict names decoding on the host and how much the busiest hour needs of it") {
  // 256 racks of one node would do for decoding; two racks leave a few nodes.
  const ServiceResult r = size_service(
      photos(R"(, "record": "jpeg")", "", R"(, "site": {"racks": {"max_racks": 2, "power": "12 kW"}})"),
      shipped());
  REQUIRE_FALSE(r.answer.feasible);
  const auto decoding = std::ranges::find(r.answer.conflicts, Limit::host_decoding, &Conflict::limit);
  REQUIRE(decoding != r.answer.conflicts.end());
  CHECK(decoding->required == "120,000 requests/s");
  CHECK(has(reports::why_text(decoding->why), "The other limits leave"));
  CHECK(has(reports::why_text(decoding->why), "bound by decoding on the host's cores; "));
  CHECK(has(reports::why_text(decoding->why), "the busiest hour asks for 120,000 requests/s, which takes"));
  CHECK(has(reports::why_text(decoding->why), " cores; these have "));
}

TEST_CASE("of every conflict the first figure is the limit and the second what there is") {
  const ServiceResult r = size_service(
      photos("", "", R"(, "goal": {"max_nodes": 2}, "site": {"power": {"feed": "2 kW"}})"), shipped());
  REQUIRE_FALSE(r.answer.feasible);
  const Conflict& c = r.answer.conflicts.front();
  CHECK(c.limit == Limit::max_nodes);
  CHECK(c.required == "2 nodes");
  CHECK(has(c.best, "nodes"));
  CHECK(std::stoi(c.best) > 2);
}

TEST_CASE("an overloaded fleet has no cost of a request and no interval of its number of nodes") {
  const std::string site = R"(, "site": {"prices": {"date": "2020-06-30"}})";
  const ServiceResult few = simulate_service(photos("", R"(, "nodes": 1)", site), shipped());
  REQUIRE_FALSE(few.answer.feasible);
  CHECK(few.chosen.overloaded);
  CHECK(has(answer_sentence(few), "8 GPUs are overloaded at the busiest hour, which takes "));
  CHECK_FALSE(few.least);
  CHECK_FALSE(few.most);
  const Json document = parse_json(checked_json_text(few), "few.json");
  CHECK(document.require("serving").require("usd_per_million").kind() == JsonKind::null);
  CHECK(document.require("serving").require("kwh_per_million").kind() == JsonKind::null);
  const ServiceResult many = simulate_service(photos("", R"(, "nodes": 40)", site), shipped());
  REQUIRE(many.answer.feasible);
  CHECK_FALSE(many.chosen.overloaded);
  const Json enough = parse_json(checked_json_text(many), "many.json");
  CHECK(enough.require("serving").require("usd_per_million").kind() == JsonKind::number);
}

TEST_CASE("issue 23, item 37: a limit ends what would change the answer of a fleet, row by row") {
  const Scenario asked = photos("", "", R"(, "goal": {"max_nodes": 100})");
  const ServiceResult whole = size_service(asked, shipped());
  REQUIRE(whole.answer.feasible);
  REQUIRE(whole.answer.changes.size() > 3);
  REQUIRE_FALSE(whole.relaxations.empty());
  CHECK_FALSE(whole.partial);
  int left = 2;
  RunControl control;
  control.cancelled = [&left] {
    return left-- <= 0;
  };
  const ServiceResult part = size_service(asked, shipped(), control);
  CHECK(part.partial);
  CHECK(part.answer.nodes == whole.answer.nodes);
  CHECK(part.relaxations.empty());
  REQUIRE(part.answer.changes.size() == 2);
  CHECK(part.answer.changes.back().why == whole.answer.changes[1].why);
}
