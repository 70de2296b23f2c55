// What the simulated use of a cluster makes it draw and cost.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

constexpr Duration hour{3600};

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
  REQUIRE_FALSE(p.unknown);
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
  CHECK(r.power.unknown.value().code() == "unrated");
}

TEST_CASE("what a campaign's cluster costs is borne by the jobs that held it, and each pays its node hours") {
  const CampaignReport r = half_days(
      R"(, "site": {"cooling": {"pue": 1.2}, "grid": {"price": "0.20 USD/kWh"},
          "prices": {"date": "2019-01-31", "staff": "87660 USD/year"}})");
  const CampaignCost& cost = r.cost;
  REQUIRE_FALSE(cost.unknown);
  REQUIRE(cost.streams.size() == 3);
  // Of two nodes and two days after the warm-up, jobs hold 12 h and 6 h.
  CHECK(cost.over == Duration{2 * 86400.0});
  CHECK(cost.held == 18 * hour);
  CHECK(cost.streams[0].held == Duration{0});
  CHECK(cost.cluster.utilisation == doctest::Approx(18.0 / 96));
  const OwnCost& own = cost.cluster.own;
  CHECK((own.staff * hour).base() == doctest::Approx(10));  // 8,766 hours in a year
  // By hand: what runs anyway, and 18 h of a node at work.
  const Power work = r.power.draws[1].node - r.power.node_idle;
  const Money energy = 1.2 * (r.power.idle * cost.over + work * (18 * hour)) * EnergyPrice{0.2 / 3.6e6};
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
  CHECK(cost.streams[1].rented_job.value == doctest::Approx((cost.cluster.offer->rate * (12 * hour)).base()));
  CHECK(cost.streams[1].rented.base() == doctest::Approx(cost.streams[1].rented_job.value));
}

TEST_CASE("what a job costs is as uncertain as how long it runs, owned or rented") {
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json");
  const CampaignReport r = run_campaign(s, Catalog::builtin());
  REQUIRE(r.interval.draws > 0);
  for (const CampaignCost::Stream& stream : r.cost.streams) {
    const Estimate &owned = stream.job, &rented = stream.rented_job;
    CHECK(rented.low < 0.9 * rented.value);
    CHECK(rented.high > 1.1 * rented.value);
    // A busier cluster makes an hour cheaper: what is owned hangs less on the run time than what is rented.
    CHECK(owned.low < owned.value);
    CHECK(owned.high > owned.value);
    CHECK(owned.high / owned.low < rented.high / rented.low);
  }
}

TEST_CASE("a campaign without prices, or without a job that counts, says why it has no cost") {
  CHECK(half_days("").cost.unknown.value().code() == "no_price_date");
  const std::string idle = R"({"name": "n", "data": {"samples": 1000, "bytes_per_sample": "100 kB"},
    "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "dgx1v_16gb", "nodes": 1}, "site": {"prices": {"date": "2019-01-31"}},
    "campaign": {"duration": "2 days", "warm_up": "1 day", "streams": [{"kind": "run", "work": "1 h"}]}})";
  const CampaignReport r =
      run_campaign(read_scenario(parse_json(idle, "s.json"), "s.json"), Catalog::builtin());
  CHECK(r.cost.unknown.value().code() == "no_node_held");
}
