#include "scenarios/campaign/campaign.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "reports/blocks/block.hpp"
#include "reports/pages/campaign_report.hpp"
#include "reports/pages/report.hpp"
#include "reports/writers/csv_writer.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string document() {
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json");
  return checked_campaign(s, run_campaign(s, Catalog::builtin()), "rackcast campaign team.json");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a campaign's page says waits, completion, use and where the jobs come from, in every format") {
  const reports::Report report = reports::campaign_report(document(), "team");
  const std::string html = write_html(report), markdown = write_markdown(report), text = write_text(report);
  for (const char* part :
       {"65.3 min", "5.93 h", "21.9 h", "96.3 %", "480 samples/s", "9 × NVIDIA DGX-1V", "of its nameplate of",
        "Power over a day", "the average of the industry", "An experiment of developers costs 233 USD",
        "650 USD", "more than 34 %", "**Seed:** 1\n"}) {
    CAPTURE(part);
    CHECK(markdown.find(part) != std::string::npos);
  }
  CHECK(text.find("Half of the jobs of developers wait no more") != std::string::npos);
  CHECK(html.find("Over a day the IT draws most") != std::string::npos);
  CHECK(html.find("How long jobs wait in the queue") != std::string::npos);
  const auto files = reports::write_csv(report);
  REQUIRE(files.size() > 3);
  CHECK(files[1].name == "waits");
  CHECK(files[1].text.find("Wait 50 % (s)") != std::string::npos);
}

TEST_CASE("power of a campaign that leaves parts out is at least that, and names them") {
  const std::string whole = document();
  const std::string open = replaced(whole, "\"no_power\": []", "\"no_power\": [\"2 x Unrated switch\"]");
  const std::string part = "the IT draws at least ";
  CHECK(write_markdown(reports::campaign_report(open, "t")).find(part) != std::string::npos);
  CHECK(write_markdown(reports::campaign_report(open, "t")).find("without 2 × Unrated switch, whose power") !=
        std::string::npos);
  CHECK(write_markdown(reports::campaign_report(whole, "t")).find(part) == std::string::npos);
}

TEST_CASE("a campaign without power and cost says why, and one that knows them needs all of their figures") {
  const auto without = [](const std::string& part) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(document());
    json[part] = {{"known", false},
                  {"why", {{"code", "no_" + part + "_model"}, {"message", "nobody knows"}}}};
    return json;
  };
  for (const std::string part : {"power", "cost"}) {
    CAPTURE(part);
    nlohmann::ordered_json json = without(part);
    CHECK(write_markdown(reports::campaign_report(json.dump(), "t"))
              .find("No " + part + " is given: nobody knows.") != std::string::npos);
    json[part]["known"] = true;
    CHECK_THROWS_AS((void)reports::campaign_report(json.dump(), "t"), Error);
  }
}

TEST_CASE("a band far beyond the lines is cut, and the chart says how far it goes") {
  const auto cut_charts = [](const reports::Report& report) {
    int count = 0;
    for (const reports::Section& section : report.sections)
      for (const reports::Block& block : section.blocks) {
        const auto* chart = std::get_if<reports::Chart>(&block.body);
        if (!chart || !chart->cut_above) continue;
        CHECK(chart->about_interval.find("beyond what is drawn") != std::string::npos);
        ++count;
      }
    return count;
  };
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json");
  const std::string gangs = checked_campaign(s, run_campaign(s, Catalog::builtin()), "");
  CHECK(cut_charts(reports::campaign_report(gangs, "gangs")) > 0);
  // Stated run times: only the arrivals differ, and all of their band is drawn.
  CHECK(cut_charts(reports::campaign_report(document(), "team")) == 0);
}

TEST_CASE("a job that did not wait has waited nothing, and shares of jobs ascend") {
  const std::string text = document();
  CHECK(text.find("\"seconds\": -") == std::string::npos);
  const Json json = parse_json(text, "team");
  double last = 0;
  for (const Json& q : json.require("streams").array().front().require("completions").array()) {
    CHECK(q.require("seconds").number() >= last);
    last = q.require("seconds").number();
  }
  CHECK(last > 0);
}

TEST_CASE("a damaged campaign document is an error with its place") {
  const std::string text = document();
  CHECK_THROWS_AS((void)reports::campaign_report("{}", "x"), Error);
  CHECK_THROWS_AS((void)reports::campaign_report("[]", "x"), Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"version\": 2", "\"version\": 9"), "x"),
                  Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\n \"nodes\": 9", "\n \"nodes\": -9"), "x"),
                  Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"mean_w\": ", "\"mean_w\": -"), "x"),
                  Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"power\"", "\"pwr\""), "x"), Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"owned_usd\": ", "\"owned_usd\": -"), "x"),
                  Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"cost\"", "\"cst\""), "x"), Error);
  CHECK_THROWS_AS((void)reports::campaign_report(replaced(text, "\"offered\"", "\"ofered\""), "x"), Error);
  CHECK_THROWS_AS(
      (void)reports::campaign_report(replaced(text, "\"waits\": [", "\"waits\": 7, \"w\": ["), "x"), Error);
}
