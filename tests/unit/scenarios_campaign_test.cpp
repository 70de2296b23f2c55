// The campaign: schedules that can be drawn on paper, failures, streams, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/campaign/campaign_simulation.hpp"
#include "scenarios/campaign/node_pool.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/templates.hpp"
#include "sim/error.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog.hpp"
#include "topologies/fabrics/gang.hpp"
#include "topologies/node_spec.hpp"

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

TEST_CASE("a gang is placed on as few leaves and pods as possible") {
  NodePool pool{regular_places(8, 4), Placement::compact};
  CHECK(pool.take(3) == std::vector<int>{0, 1, 2});
  CHECK(pool.take(1) == std::vector<int>{3});  // the tightest leaf that holds it
  CHECK(pool.gang(pool.take(4)) == Gang{{4}});
  NodePool first{regular_places(8, 4), Placement::first_fit};
  first.take(3);
  CHECK(first.gang(first.take(4)) == Gang{{1, 3}});

  // Two pods of two leaves of two nodes each.
  const std::vector<NodePlace> two_pods{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 1}, {2, 1}, {3, 1}, {3, 1}};
  NodePool pods{two_pods, Placement::compact};
  CHECK(pods.take(1) == std::vector<int>{0});
  CHECK(pods.take(4) ==
        std::vector<int>{4, 5, 6, 7});  // the pod that holds it, though two leaves are as free
  CHECK(pods.gang(pods.take(3)) == Gang{{1, 2}});
  NodePool scattered{two_pods, Placement::first_fit};
  scattered.take(1);
  CHECK(scattered.gang(scattered.take(4)) == Gang{{1, 2}, {1}});
}

TEST_CASE("a job across leaves runs longer where the fabric says so") {
  CampaignSpec spec = days(2, SchedulerPolicy::fifo);
  spec.scheduler.across_leaves = 1.5;
  const std::vector<CampaignJob> jobs{job(0, 3, 4)};
  CHECK(end_h(simulate_campaign(spec, regular_places(4, 2), jobs, nullptr, 1), 0) == doctest::Approx(6));
}

TEST_CASE("a job on several leaves has its nodes' part of their uplinks") {
  // Four leaves of seven DGX-1V, 28 ports down and 7 up each.
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json");
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, NodeChoice{s.cluster.node, ""});
  const FabricPlan whole = plan_fabric(catalog, node, 28, s.cluster.fabric.choice);
  const std::vector<NodePlace> places = fabrics::node_places(whole);
  REQUIRE(places.size() == 28);
  CHECK(places[6].leaf == 0);
  CHECK(places[7].leaf == 1);
  CHECK(whole.leaves == 4);
  const FabricPlan part = fabrics::part_of_gang(whole, {{4, 1}});
  CHECK(part.nodes == 5);
  CHECK(part.leaves == 2);
  REQUIRE(part.trunks.size() == 2);
  CHECK(part.trunks[0].cables == 16 * 4);  // 16 ports, 4:1, in sixteenths of a cable
  CHECK(part.trunks[1].cables == 16 * 1);  // 4 ports
  CHECK(16 * *part.trunk_link.raw == *whole.trunk_link.raw);
  const FabricPlan one = fabrics::part_of_gang(whole, {{5}});
  CHECK(one.spines == 0);
  CHECK(one.trunks.empty());
  CHECK(fabrics::node_places(plan_fabric(catalog, node, 4)).empty());  // one switch
}

TEST_CASE("a job in several pods has its nodes' part of the uplinks of leaves and pods") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, NodeChoice{"dgx1v_16gb", ""});
  FabricChoice choice;
  choice.kind = "three_level";
  choice.oversubscription = 2;
  choice.core_oversubscription = 2;
  choice.leaves_per_group = 2;
  const FabricPlan whole = plan_fabric(catalog, node, 48, choice);
  const std::vector<NodePlace> places = fabrics::node_places(whole);
  REQUIRE(places.size() == 48);
  CHECK(whole.groups > 1);
  CHECK(places.back().pod == whole.groups - 1);
  CHECK(places.back().leaf == whole.leaves - 1);
  // Four ports a node: 4 and 2 nodes on two leaves of a pod, 1 on one of another.
  const FabricPlan part = fabrics::part_of_gang(whole, {{4, 2}, {1}});
  CHECK(part.nodes == 7);
  CHECK(part.leaves == 3);
  CHECK(part.spines == 2);
  CHECK(part.cores == 1);
  REQUIRE(part.trunks.size() == 5);
  CHECK(part.trunks[0].cables == 16 * 8);  // 16 ports, 2:1, in sixteenths of a cable
  CHECK(part.trunks[1].cables == 16 * 4);
  CHECK(part.trunks[2].cables == 16 * 6);  // of the 12 that the pod has, 2:1
  CHECK(part.trunks[3].cables == 16 * 2);
  CHECK(part.trunks[4].cables == 16 * 1);
  CHECK(fabrics::part_of_gang(whole, {{4, 2}}).cores == 0);

  // Rails: each port of a node goes to a leaf of its own, and so does its share of the uplinks.
  choice = {};
  choice.kind = "two_level";
  choice.oversubscription = 2;
  choice.rails = RailPlan::by_rail;
  const FabricPlan rails = plan_fabric(catalog, node, 48, choice);
  REQUIRE(fabrics::node_places(rails).size() == 48);
  const FabricPlan of_rails = fabrics::part_of_gang(rails, {{4, 2}});
  CHECK(of_rails.leaves == 8);
  REQUIRE(of_rails.trunks.size() == 8);
  CHECK(of_rails.trunks[0].cables == 16 * 2);
  CHECK(of_rails.trunks[7].cables == 16 * 1);
  CHECK(of_rails.node_leaf[3] == 3);
  CHECK(of_rails.node_leaf.back() == 7);
  // Networks of their own for each port: the part of every one.
  choice.rails = RailPlan::separate;
  choice.gang = {{4, 2}};
  choice.gang_of = 48;
  const FabricPlan planes = plan_fabric(catalog, node, 6, choice);
  CHECK(planes.planes == 4);
  CHECK(planes.leaves == 8);
  CHECK(planes.trunks.size() == 8);
  CHECK_THROWS_AS((void)plan_fabric(catalog, node, 7, choice), Error);
}

TEST_CASE("compact placement makes a whole campaign faster, and more so the scarcer the uplinks are") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json";
  const Catalog catalog = Catalog::builtin();
  const auto played = [&](const std::string& placement, const std::string& more = "seed=1") {
    return run_campaign(load_scenario(file, {"campaign.scheduler.placement=" + placement, more}), catalog);
  };
  const CampaignReport compact = played("compact"), first_fit = played("first_fit");
  // Jobs of five nodes: the same jobs, on more leaves, take longer and are done later.
  const StreamStatistics &there = compact.streams.back(), &here = first_fit.streams.back();
  CHECK(there.submitted == here.submitted);
  CHECK(there.leaves < here.leaves);
  CHECK(there.slowdown < here.slowdown);
  CHECK(here.slowdown > 1.05);
  CHECK(there.completion.p50 < here.completion.p50);
  CHECK(there.completion.p90 < here.completion.p90);
  CHECK(compact.utilisation < first_fit.utilisation);  // for the same work
  // Without oversubscription a node has all of its ports wherever it stands.
  const CampaignReport full = played("first_fit", "cluster.fabric.oversubscription=1");
  CHECK(full.streams.back().slowdown < 1 + (here.slowdown - 1) / 3);
  // A stated factor holds for every job on several leaves, and then nothing is simulated.
  const CampaignReport stated = played("first_fit", "campaign.scheduler.across_leaves=1.5");
  for (const JobOutcome& job : stated.outcome.jobs)
    if (job.started) CHECK(job.slowdown == (job.leaves > 1 ? 1.5 : 1.0));
}

TEST_CASE("where the uplinks of pods are scarce, jobs in several pods run longer") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json";
  const Catalog catalog = Catalog::builtin();
  const auto played = [&](int ratio) {
    const std::string fabric = R"({"kind": "three_level", "leaves_per_group": 2, "core_oversubscription": )";
    return run_campaign(load_scenario(file, {"cluster.nodes=48", "campaign.scheduler.placement=first_fit",
                                             "cluster.fabric=" + fabric + std::to_string(ratio) + "}"}),
                        catalog);
  };
  const CampaignReport scarce = played(8), full = played(1);
  const StreamStatistics &slow = scarce.streams.back(), &fast = full.streams.back();
  CHECK(slow.pods > 1.2);
  CHECK(slow.leaves > slow.pods);
  CHECK(slow.slowdown > 1.1);
  CHECK(fast.slowdown < 1 + (slow.slowdown - 1) / 3);
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
  CHECK(campaign_document(s, run_campaign(s, catalog)) == campaign_document(s, run_campaign(s, catalog)));
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

namespace {

/// A use that can be drawn on paper: two nodes, one of which works from 0 h to 12 h of every day.
CampaignReport half_days(const std::string& more) {
  const std::string text = R"({"name": "n", "data": {"samples": 1000, "bytes_per_sample": "100 kB"},
    "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "dgx1v_16gb", "nodes": 2},
    "campaign": {"duration": "3 days", "warm_up": "1 day", "streams": [
      {"kind": "run", "name": "a", "work": "12 h"},
      {"kind": "run", "name": "b", "work": "12 h", "at": "1 day"},
      {"kind": "run", "name": "c", "work": "6 h", "at": "2 days"}]})" +
                           more + "}";
  return run_campaign(read_scenario(parse_json(text, "s.json"), "s.json"), Catalog::builtin());
}

}  // namespace

TEST_CASE("the power of a campaign follows the nodes that jobs hold, hour by hour") {
  const CampaignPower p = half_days("").power;
  REQUIRE(p.unknown.empty());
  REQUIRE(p.draws.size() == 3);
  const double work = (p.draws[0].node - p.node_idle).base(), idle = p.idle.base();
  CHECK(work > 500);  // W of eight V100
  CHECK(idle == doctest::Approx(2 * p.node_idle.base() + p.others.base()));
  // 12 + 12 + 6 of 72 hours have one node at work.
  CHECK(p.mean.value == doctest::Approx(idle + work * 30 / 72));
  CHECK(p.it.base() == doctest::Approx(p.mean.value * 3 * 86400));
  CHECK(p.facility.base() == doctest::Approx(p.pue * p.it.base()));
  CHECK(p.busiest_hour.base() == doctest::Approx(idle + work));
  CHECK(p.all_busy.value == doctest::Approx(idle + 2 * work));
  CHECK(p.mean.low < p.mean.value);
  CHECK(p.mean.high > p.mean.value);
  CHECK(p.mean.high <= p.nameplate.base());
  // The first day is warm-up. Of the other two, one works from 6 h to 12 h and both before.
  REQUIRE(p.day.size() == 24);
  CHECK(p.days == 2);
  CHECK(p.day[3].mean.base() == doctest::Approx(idle + work));
  CHECK(p.day[8].mean.base() == doctest::Approx(idle + work / 2));
  CHECK(p.day[8].least.base() == doctest::Approx(idle));
  CHECK(p.day[8].most.base() == doctest::Approx(idle + work));
  CHECK(p.day[20].mean.base() == doctest::Approx(idle));
  double joules = 0;
  for (const auto& part : p.parts) joules += part.it.value * part.length.base();
  CHECK(joules == doctest::Approx(p.it.base()));
}

TEST_CASE("the site of a campaign changes its power; what cannot be modelled says why and leaves the rest") {
  const CampaignPower plain = half_days("").power;
  const CampaignPower sited =
      half_days(R"(, "site": {"cooling": {"pue": 1.1}, "power": {"gpu_cap": "200 W"}})").power;
  CHECK(sited.pue == 1.1);
  CHECK(sited.draws[0].node < plain.draws[0].node);
  const std::string unrated = R"({"name": "n", "data": {"samples": 1000, "bytes_per_sample": "100 kB"},
    "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "aws_p3_16xlarge", "nodes": 1},
    "campaign": {"duration": "2 days", "streams": [{"kind": "run", "work": "12 h"}]}})";
  const CampaignReport r =
      run_campaign(read_scenario(parse_json(unrated, "s.json"), "s.json"), Catalog::builtin());
  CHECK(r.outcome.jobs[0].ended);
  CHECK(r.power.unknown.find("no power rating") != std::string::npos);
}

TEST_CASE("what a campaign's cluster costs is borne by the jobs that held it, and each pays its node hours") {
  const CampaignReport r = half_days(
      R"(, "site": {"cooling": {"pue": 1.2}, "grid": {"price": "0.20 USD/kWh"},
          "prices": {"date": "2019-01-31", "staff": "87660 USD/year"}})");
  const CampaignCost& cost = r.cost;
  REQUIRE(cost.unknown.empty());
  REQUIRE(cost.streams.size() == 3);
  // Of two nodes and two days after the warm-up, jobs hold 12 h and 6 h.
  CHECK(cost.over == Duration{2 * 86400.0});
  CHECK(cost.held == 18 * kHour);
  CHECK(cost.streams[0].held == Duration{0});
  CHECK(cost.cluster.utilisation == doctest::Approx(18.0 / 96));
  const OwnCost& own = cost.cluster.own;
  CHECK((own.staff * kHour).base() == doctest::Approx(10));  // 8,766 hours in a year
  // By hand: what runs anyway, and 18 h of a node at work.
  const Power work = r.power.draws[1].node - r.power.node_idle;
  const Money energy = 1.2 * (r.power.idle * cost.over + work * (18 * kHour)) * EnergyPrice{0.2 / 3.6e6};
  const Money fixed = (own.capital() + own.space + own.support + own.staff) * cost.over;
  const Money sum = cost.streams[0].owned + cost.streams[1].owned + cost.streams[2].owned;
  CHECK(sum.base() == doctest::Approx((fixed + energy).base()));
  CHECK(sum.base() == doctest::Approx((own.total(cost.cluster.utilisation) * cost.over).base()));
  // The first job came in the warm-up. The second holds one node for 12 h, the third for 6 h.
  CHECK(cost.streams[0].jobs == 0);
  CHECK(cost.streams[1].jobs == 1);
  CHECK(cost.streams[1].job.value == doctest::Approx(2 * cost.streams[2].job.value));
  CHECK(cost.streams[1].job.value == doctest::Approx(cost.streams[1].owned.base()));
  CHECK(cost.streams[1].job.low < cost.streams[1].job.value);
  CHECK(cost.streams[1].job.high > cost.streams[1].job.value);
  // An instance has the GPUs of a node.
  REQUIRE(cost.cluster.offer);
  CHECK(cost.streams[1].rented_mean == doctest::Approx((cost.cluster.offer->rate * (12 * kHour)).base()));
  CHECK(cost.streams[1].rented.base() == doctest::Approx(cost.streams[1].rented_mean));
}

TEST_CASE("a campaign without prices, or without a job that counts, says why it has no cost") {
  CHECK(half_days("").cost.unknown.find("no date for prices") != std::string::npos);
  const std::string idle = R"({"name": "n", "data": {"samples": 1000, "bytes_per_sample": "100 kB"},
    "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "dgx1v_16gb", "nodes": 1}, "site": {"prices": {"date": "2019-01-31"}},
    "campaign": {"duration": "2 days", "warm_up": "1 day", "streams": [{"kind": "run", "work": "1 h"}]}})";
  const CampaignReport r =
      run_campaign(read_scenario(parse_json(idle, "s.json"), "s.json"), Catalog::builtin());
  CHECK(r.cost.unknown.find("no job held a node") != std::string::npos);
}
