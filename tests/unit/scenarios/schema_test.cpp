// Every shipped scenario, every starting file and a produced result validate against the published schemas.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/serving/service_result.hpp"
#include "sim/base/input_file.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string faults(std::string_view schema_name, const std::string& text) {
  return schema_faults(schema_text(schema_name), text);
}

}  // namespace

TEST_CASE("every shipped scenario validates against the published schema") {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{RACKCAST_SOURCE_DIR} + "/scenarios"}) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    CHECK(faults("scenario", read_file(entry.path().string())).empty());
    ++count;
  }
  CHECK(count >= 2);
}

TEST_CASE("every starting file validates, and names only what the catalogue has") {
  for (const Template& question : templates()) {
    const std::string text{template_text(question.question)};
    CAPTURE(text);
    CHECK(faults("scenario", text).empty());
    const Json parsed = parse_json(text, "template");
    if (serves(parsed)) {
      CHECK_NOTHROW(check_service_names(read_serving_scenario(parsed, "template"), Catalog::builtin()));
    } else {
      CHECK_NOTHROW(check_names(read_scenario(parsed, "template"), Catalog::builtin()));
    }
  }
}

TEST_CASE("the schema refuses what the reader refuses") {
  const std::string good{template_text("time")};
  const auto broken = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {broken("\"epochs\": 90", "\"epochs\": \"many\""), broken("\"0.113 MB\"", "113000"),
        broken("\"samples\"", "\"sampels\""), broken("\"precision\": \"fp32\"", "\"precision\": \"fp33\"")}) {
    CAPTURE(text);
    CHECK_FALSE(faults("scenario", text).empty());
    CHECK_THROWS_AS(read_scenario(parse_json(text, "broken"), "broken"), Error);
  }
}

TEST_CASE("a produced result validates against the published schema") {
  const std::string path = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";
  const Catalog catalog = Catalog::builtin();
  CHECK(faults("result", checked_json_text(size(load_scenario(path), catalog))) == "");
  CHECK(faults("result", checked_json_text(simulate(load_scenario(path), catalog))) == "");
  const Scenario impossible = load_scenario(path, {"goal.deadline=1 min"});
  const Result infeasible = size(impossible, catalog);
  CHECK_FALSE(infeasible.answer.feasible);
  CHECK(faults("result", checked_json_text(infeasible)) == "");
}

TEST_CASE("the documents of the shipped campaigns validate against the published schema") {
  const Catalog catalog = Catalog::builtin();
  for (const char* name : {"dgx_pod_team_dgx1", "dgx_pod_team_dgx2", "gang_placement"}) {
    CAPTURE(name);
    const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/" + name + ".json");
    const std::string document = checked_campaign(s, run_campaign(s, catalog), "");
    CHECK(faults("campaign", document) == "");
    std::string without = document;
    without.replace(without.find("\"offered\""), 9, "\"ofered\"");
    CHECK(faults("campaign", without).find("'offered' is a required property") != std::string::npos);
  }
}

TEST_CASE("the schemas of documents require what every document begins with") {
  for (const char* name : {"result", "campaign"}) {
    const Json schema = parse_json(schema_text(name), name);
    CHECK(schema.require("properties").find("generator"));
    CHECK(faults(name, "{}").find("'version' is a required property") != std::string::npos);
    CHECK(reference_text(name).find("| `generator.commit` | text |") != std::string::npos);
  }
  CHECK_THROWS_AS(reference_text("scenario"), Error);
}
