// The campaign: schedules that can be drawn on paper, failures, streams, and what is refused.
#include "scenarios/campaign/campaign.hpp"

#include <doctest/doctest.h>

#include <string>

#include "models/step/training.hpp"
#include "scenarios/campaign/campaign_simulation.hpp"
#include "scenarios/campaign/node_pool.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

constexpr Duration kHour{3600};

CampaignJob job(double submit_h, int nodes, double work_h, int priority = 0, int user = 0) {
  CampaignJob j;
  j.submit = submit_h * kHour;
  j.nodes = nodes;
  j.work = work_h * kHour;
  j.limit = j.work;
  j.priority = priority;
  j.user = user;
  return j;
}

CampaignSpec days(double n, SchedulerPolicy policy) {
  CampaignSpec spec;
  spec.duration = Duration{86400 * n};
  spec.scheduler.policy = policy;
  return spec;
}

double start_h(const CampaignOutcome& out, std::size_t i) {
  return out.jobs[i].started ? *out.jobs[i].started / kHour : -1;
}
double end_h(const CampaignOutcome& out, std::size_t i) {
  return out.jobs[i].ended ? *out.jobs[i].ended / kHour : -1;
}

// 4 nodes: a 3-node job for 4 h, then one of 4 nodes, then a small short and a small long one.
const std::vector<CampaignJob> kQueue{job(0, 3, 4), job(0.5, 4, 2), job(1, 1, 2), job(1, 1, 9)};

}  // namespace

TEST_CASE("first in, first out: nothing passes the job that waits for all nodes") {
  const CampaignOutcome out =
      simulate_campaign(days(2, SchedulerPolicy::fifo), regular_places(4, 0), kQueue, nullptr, 1);
  CHECK(start_h(out, 0) == 0);
  CHECK(start_h(out, 1) == 4);  // when the first ends
  CHECK(start_h(out, 2) == 6);
  CHECK(end_h(out, 3) == 15);
  // 12 + 8 + 2 + 9 node hours of 4 x 48.
  CHECK(out.busy / out.available == doctest::Approx(31.0 / 192));
  CHECK(out.useful == doctest::Approx(out.occupied));
}

TEST_CASE("backfill lets a job pass that is over before the reservation") {
  const CampaignOutcome out =
      simulate_campaign(days(2, SchedulerPolicy::backfill), regular_places(4, 0), kQueue, nullptr, 1);
  CHECK(start_h(out, 2) == 1);  // ends at 3 h, before the reservation at 4 h
  CHECK(start_h(out, 1) == 4);  // not delayed
  CHECK(start_h(out, 3) == 6);  // 9 h long: it would delay the reservation
}

TEST_CASE("fair share starts the user who has used less") {
  const std::vector<CampaignJob> jobs{job(0, 1, 5, 0, 1), job(1, 1, 5, 0, 1), job(2, 1, 5, 0, 2)};
  const CampaignOutcome fair =
      simulate_campaign(days(2, SchedulerPolicy::fair_share), regular_places(1, 0), jobs, nullptr, 1);
  CHECK(start_h(fair, 2) == 5);  // submitted last, but user 1 has used 5 node hours
  CHECK(start_h(fair, 1) == 10);
  const CampaignOutcome fifo =
      simulate_campaign(days(2, SchedulerPolicy::fifo), regular_places(1, 0), jobs, nullptr, 1);
  CHECK(start_h(fifo, 1) == 5);
}

TEST_CASE("an urgent job preempts, and the other goes on where it was") {
  CampaignSpec spec = days(2, SchedulerPolicy::backfill);
  const std::vector<CampaignJob> jobs{job(0, 2, 6), job(2, 2, 3, 5)};
  CHECK(start_h(simulate_campaign(spec, regular_places(2, 0), jobs, nullptr, 1), 1) == 6);
  spec.scheduler.preemption = true;
  const CampaignOutcome out = simulate_campaign(spec, regular_places(2, 0), jobs, nullptr, 1);
  CHECK(start_h(out, 1) == 2);
  CHECK(end_h(out, 0) == doctest::Approx(9));  // 2 h + 3 h of the other + 4 h
  CHECK(out.preemptions == 1);
}

TEST_CASE("a job across leaves runs longer where the fabric says so") {
  CampaignSpec spec = days(2, SchedulerPolicy::fifo);
  spec.scheduler.across_leaves = 1.5;
  const std::vector<CampaignJob> jobs{job(0, 3, 4)};
  CHECK(end_h(simulate_campaign(spec, regular_places(4, 2), jobs, nullptr, 1), 0) == doctest::Approx(6));
}

TEST_CASE("failures in the campaign cost what the closed formula says") {
  // 4 nodes of 40 h: the job fails every 10 h; 30 min intervals, 1 min stalls, 15 min restarts.
  CampaignFailures failures;
  failures.node_mtbf = 40 * kHour;
  failures.job = [](int) {
    GoodputSpec s;
    s.interval = Duration{1800};
    s.stall = Duration{60};
    s.restart = Duration{900};
    return s;
  };
  std::vector<CampaignJob> jobs{job(0, 4, 20'000)};
  CampaignSpec spec = days(2000, SchedulerPolicy::fifo);
  const CampaignOutcome out = simulate_campaign(spec, regular_places(4, 0), jobs, &failures, 3);
  GoodputSpec closed = failures.job(4);
  closed.mttf = 10 * kHour;
  REQUIRE(out.jobs[0].ended);
  CHECK(out.useful / out.occupied == doctest::Approx(goodput(closed).useful).epsilon(0.01));
  CHECK(out.failures > 2000);
}

TEST_CASE("without spares a failed node goes to repair and its job back to the queue") {
  CampaignFailures failures;
  failures.node_mtbf = 100 * kHour;
  failures.replaced = 1;
  failures.repair = 24 * kHour;
  failures.job = [](int) {
    GoodputSpec s;
    s.interval = Duration{600};
    return s;
  };
  const std::vector<CampaignJob> jobs{job(0, 4, 2000)};
  const CampaignSpec spec = days(2000, SchedulerPolicy::fifo);
  const CampaignOutcome none = simulate_campaign(spec, regular_places(4, 0), jobs, &failures, 3);
  failures.spares = 4;
  const CampaignOutcome some = simulate_campaign(spec, regular_places(4, 0), jobs, &failures, 3);
  REQUIRE(none.jobs[0].ended);
  REQUIRE(some.jobs[0].ended);
  CHECK(*none.jobs[0].ended > 1.5 * *some.jobs[0].ended);  // about 24 h for each 25 h of work
}

TEST_CASE("the same seed gives the same campaign, and a job larger than the cluster is an error") {
  const Catalog catalog = Catalog::builtin();
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json";
  const Scenario s = load_scenario(file, {"campaign.duration=30 days"});
  CHECK(checked_campaign(s, run_campaign(s, catalog)) == checked_campaign(s, run_campaign(s, catalog)));
  const std::vector<CampaignJob> jobs{job(0, 5, 1)};
  CHECK_THROWS_AS(simulate_campaign(days(1, SchedulerPolicy::fifo), regular_places(4, 0), jobs, nullptr, 1),
                  Error);
}

TEST_CASE("the team of the DGX POD: 36 million images at 480 images/s are 20.8 h") {
  const Catalog catalog = Catalog::builtin();
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json");
  const CampaignReport r = run_campaign(s, catalog);
  CHECK(r.jobs.streams[0].work / kHour == doctest::Approx(36e6 / 480 / 3600));
  CHECK(r.offered == doctest::Approx(10 * 20.8333 / 24 / 9).epsilon(0.01));  // 10 a day on 9 nodes: 96 %
  CHECK(r.streams[0].wait.p90 > 0);
}

TEST_CASE("an ensemble stops most members early") {
  const Scenario s = load_scenario(
      std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json",
      {R"(campaign.streams=[{"kind": "ensemble", "members": 20, "work": "10 h", "stop_after": 0.1, "keep": 0.25}])"});
  const CampaignReport r = run_campaign(s, Catalog::builtin());
  CHECK(r.jobs.streams[0].jobs == 20);
  CHECK(r.jobs.streams[0].work / kHour == doctest::Approx((5 * 10 + 15 * 1) / 20.0));
  CHECK(r.streams[0].finished == 0);  // all submitted in the warm-up
}

TEST_CASE("hostile campaigns are refused at their place") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_team_dgx1.json";
  for (const char* set : {"campaign.duration=0 s", "campaign.duration=1000 years", "campaign.warm_up=91 days",
                          "campaign.streams=[]", R"(campaign.streams=[{"kind": "teem"}])",
                          R"(campaign.streams=[{"kind": "team"}])",
                          R"(campaign.streams=[{"kind": "run", "work": "1 h", "samples_per_s": 5}])",
                          R"(campaign.streams=[{"kind": "run", "work": "-1 h"}])",
                          R"(campaign.streams=[{"kind": "run", "work": "1 h", "nodes": 10}])",
                          R"(campaign.streams=[{"kind": "run", "workload": "resnet50"}])",
                          R"(campaign.streams=[{"kind": "retraining", "every": "1 day"}])",
                          R"(campaign.streams=[{"kind": "recorded", "file": "no_such_file.sacct"}])",
                          R"(campaign.streams=[{"kind": "team", "experiments_per_day": 2, "hours": "25 h"}])",
                          R"(campaign.scheduler={"policy": "lottery"})"}) {
    CAPTURE(set);
    CHECK_THROWS_AS(
        {
          const Scenario s = load_scenario(file, {set});
          run_campaign(s, Catalog::builtin());
        },
        Error);
  }
}

TEST_CASE(
    "issue 23, item 36: failures and repairs that would come long after the campaign do not pass the end of "
    "its clock") {
  CampaignFailures rare;
  rare.node_mtbf = Duration{30000 * 365.25 * 86400};  // exponential draws reach past 292,000 years
  rare.repair = rare.node_mtbf;
  rare.replaced = 1;
  rare.job = [](int) {
    return GoodputSpec{};
  };
  std::vector<CampaignJob> many;
  for (int i = 0; i < 200; ++i) many.push_back(job(0.01 * i, 1, 1e6));  // 114 years each
  CHECK_NOTHROW(
      simulate_campaign(days(3, SchedulerPolicy::backfill), regular_places(100, 0), many, &rare, 1));
}

TEST_CASE("a campaign that is stopped says how far it came") {
  CampaignWatch watch;
  watch.go_on = [](Duration now) {
    return now < 2 * kHour;
  };
  CHECK_THROWS_WITH_AS(
      simulate_campaign(days(2, SchedulerPolicy::fifo), regular_places(4, 0), kQueue, nullptr, 1, {}, watch),
      doctest::Contains("the limit was reached after"), LimitReached);
}
