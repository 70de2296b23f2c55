// What a campaign's waits and use hang on: chance and the model's error.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("a campaign of chance has an interval that holds its own draw; one where all is stated has none") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json";
  const CampaignReport r =
      run_campaign(load_scenario(file, {"campaign.duration=40 days"}), Catalog::builtin());
  REQUIRE(r.interval.draws == 20);
  const auto& wait = r.interval.streams[0].wait;
  CHECK(wait[1].low < wait[1].high);
  CHECK(wait[1].low <= r.streams[0].wait.p90);
  CHECK(wait[1].high >= r.streams[0].wait.p90);
  CHECK(r.interval.in_use.size() ==
        nodes_in_use(r.jobs.jobs, r.outcome, r.nodes, Duration{40 * 86400.0}).size());
  CHECK(r.interval.utilisation.low <= r.utilisation);
  CHECK(r.interval.utilisation.high >= r.utilisation);
  const CampaignReport stated = run_campaign(
      load_scenario(file, {R"(campaign.streams=[{"kind": "run", "work": "100 h", "at": "20 days"}])"}),
      Catalog::builtin());
  CHECK(stated.interval.draws == 0);
  CHECK(stated.interval.why_none.value().code() == "nothing_drawn");
}

TEST_CASE("simulated run times of a campaign are as uncertain as their prediction") {
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json",
                                   {R"(campaign.streams=[{"kind": "run", "at": "20 days", "nodes": 2}])"});
  const CampaignReport r = run_campaign(s, Catalog::builtin());
  REQUIRE(r.interval.draws == 20);
  REQUIRE(r.jobs.jobs[0].simulated);
  const auto& done = r.interval.streams[0].completion[0];
  // Of 19 quantiles the outermost are the ends of the 90 % interval.
  CHECK(done.low / r.streams[0].completion.p50 == doctest::Approx(r.jobs.streams[0].work_low).epsilon(1e-3));
  CHECK(done.high / r.streams[0].completion.p50 ==
        doctest::Approx(r.jobs.streams[0].work_high).epsilon(1e-3));
}
