// What is bought and summed up of a site: spare nodes, racks that nodes bring with them, and sums from which
// a fact is missing.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/site/result_site.hpp"
#include "sim/base/error.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

const std::string kQuestion = R"({
  "name": "sums",
  "data": {"samples": 8000000, "bytes_per_sample": "0.113 MB"},
  "storage": {"array": "none"},
  "workloads": [{"model": "resnet50", "epochs": 90, "batch_per_gpu": 64, "precision": "mixed"}],
  "cluster": {"node": "dgx1v_16gb", "nodes": 4},
  "site": {"prices": {"date": "2018-10-31"}}
})";

using Sets = std::vector<std::pair<std::string, std::string>>;

Scenario asked(const Sets& sets) {
  Json json = parse_json(kQuestion, "sums.json");
  for (const auto& [path, value] : sets) json = json.with(path, parse_json_or_string(value, path));
  return read_scenario(json, "sums.json");
}

Result simulated(const Sets& sets) {
  return simulate(asked(sets), catalog());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Conflict* conflict(const Result& r, const std::string& constraint) {
  const auto found = std::ranges::find(r.answer.conflicts, constraint,
                                       [](const Conflict& c) { return std::string{to_string(c.limit)}; });
  return found == r.answer.conflicts.end() ? nullptr : &*found;
}

const Sets kTwoSpares{{"failures", R"({"checkpoint_stall": "30 s", "spares": 2})"}};
const std::string kUnrated = R"({"node": "aws_p5_48xlarge", "nodes": 4})";

}  // namespace

TEST_CASE("issue 23, item 4: spare nodes are bought, racked, wired and powered with the others") {
  const Result without = simulated({}), with = simulated(kTwoSpares);
  CHECK(with.answer.nodes == 4);
  CHECK(with.answer.spares == 2);
  CHECK(has(answer_sentence(with), "4 + 2 spares x NVIDIA DGX-1V"));
  CHECK(with.answer.rack_units.value() == doctest::Approx(6 * 3));
  CHECK(with.answer.power_kw.value() == doctest::Approx(6 * 3.5));
  const SiteReport &a = *without.site, &b = *with.site;
  CHECK(b.plan.count(DeviceRole::node) == 4);
  CHECK(b.plan.count(DeviceRole::spare) == 2);
  CHECK(b.plan.rack_units() - a.plan.rack_units() >= 2 * 3);
  int racked = 0;
  for (const RackCounts& rack : b.plan.packing->racks) racked += rack[0] + rack[1];
  CHECK(racked == 6);
  double bought = 0;
  for (const BillRow& row : b.bill)
    if (row.group == "compute") bought += row.quantity;
  CHECK(bought == 6);
  // 149,000 USD each and what goes with them; at least their rating more, and about their idle power.
  CHECK(b.cost->own.capex - a.cost->own.capex >= Money{2 * 149'000.0});
  CHECK(b.power.nameplate - a.power.nameplate >= Power{2 * 3500.0});
  CHECK(b.power.it.value > a.power.it.value);
  CHECK(b.power.it.value - a.power.it.value < 2 * 2900.0);
  int to_nodes = 0;
  for (const CableGroup& c : b.network->cables)
    if (c.use == "node to leaf") to_nodes += c.count;
  CHECK(to_nodes == 6 * 4);
  // A cloud keeps its own spares.
  CHECK(b.cost->instances == a.cost->instances);
  const std::string text = checked_json_text(with);
  CHECK(schema_faults(schema_text("result"), text) == "");
  CHECK(has(reports::render_text(reports::load_result(text, "spares"), {}), "4 + 2 spares ×"));
}

TEST_CASE("issue 23, item 4: nodes without a GPU of the job idle, and the answer says so") {
  const Result two = simulated({{"cluster.gpus_per_job", "16"}, {"cluster.nodes", "2"}}),
               seven = simulated({{"cluster.gpus_per_job", "16"}, {"cluster.nodes", "7"}}),
               busy = simulated({{"cluster.nodes", "7"}});
  const SiteReport& site = *seven.site;
  CHECK(site.plan.count(DeviceRole::node) == 2);
  CHECK(site.plan.count(DeviceRole::idle) == 5);
  CHECK(site.plan.count(DeviceRole::spare) == 0);
  // Bought like the others, at about their idle power (0.5 kW), not at 2.9 kW.
  double bought = 0;
  for (const BillRow& row : site.bill)
    if (row.group == "compute") bought += row.quantity;
  CHECK(bought == 7);
  CHECK(site.power.it.value > two.site->power.it.value);
  CHECK(site.power.it.value < busy.site->power.it.value - 5 * 1000.0);
  CHECK(site.power.nameplate >= two.site->power.nameplate + Power{5 * 3500.0});
  CHECK(has(reports::power_text(site_document(site)), " 5 nodes without a GPU of the job idle."));
  CHECK(site.cost->instances == two.site->cost->instances);
  const auto idle = std::ranges::find(seven.warnings, "idle_nodes", &doc::Reason::code);
  REQUIRE(idle != seven.warnings.end());
  CHECK(has(reports::reason_text(*idle), "5 of 7 nodes have no GPU of the job"));
  CHECK(std::ranges::count(two.warnings, "idle_nodes", &doc::Reason::code) == 0);
  CHECK(schema_faults(schema_text("result"), checked_json_text(seven)) == "");
}

TEST_CASE("a limit of one rack is one rack") {
  const Result r = simulated({{"site.racks", R"({"power": "7 kW", "max_racks": 1})"}});
  const Conflict* racks = conflict(r, "max_racks");
  REQUIRE(racks);
  CHECK(racks->required == "1 rack");
  CHECK(racks->best == "3 racks");
}

TEST_CASE(
    "issue 23, item 4: spares that are relied on are those that are bought, and none are relied on where "
    "none are") {
  // Long repairs: one spare is enough with 95 % where none is not.
  const Result usual = simulated({{"failures", R"({"checkpoint_stall": "30 s", "repair": "1000 h"})"}});
  const FailurePlan& plan = usual.workloads.front().reliability->plan;
  CHECK(plan.spares > 0);
  CHECK(plan.spares == usual.answer.spares);
  CHECK(usual.site->plan.count(DeviceRole::spare) == plan.spares);
  const Result none = simulated({{"failures", R"({"checkpoint_stall": "30 s", "spares": 0})"}}),
               two = simulated(kTwoSpares);
  CHECK(none.answer.spares == 0);
  CHECK(none.workloads.front().reliability->plan.spec.wait >
        two.workloads.front().reliability->plan.spec.wait);
}

TEST_CASE(
    "issue 23, item 4: spare nodes count among the most nodes, and the proof and the alternatives have them, "
    "too") {
  Sets sets = kTwoSpares;
  sets.push_back({"goal", R"({"deadline": "14 h", "max_nodes": 20, "alternatives": ["dgx2"]})"});
  const Result free = size(asked(sets), catalog());
  REQUIRE(free.answer.feasible);
  CHECK(free.answer.spares == 2);
  CHECK(free.workloads.front().alternatives.front().spares == 2);
  CHECK(free.plan->chosen->spares == 2);
  const int needed = free.answer.nodes;
  sets.push_back({"goal.max_nodes", std::to_string(needed + 2)});
  CHECK(size(asked(sets), catalog()).answer.feasible);
  sets.back().second = std::to_string(needed + 1);
  const Result tight = size(asked(sets), catalog());
  CHECK_FALSE(tight.answer.feasible);
  CHECK(conflict(tight, "max_nodes") != nullptr);
  sets.back().second = "2";  // not even one node and its spares
  CHECK_FALSE(size(asked(sets), catalog()).answer.feasible);
}

TEST_CASE("issue 23, item 4: a campaign's cluster has its spare nodes in power and price") {
  const auto campaign = [](const char* failures) {
    const Scenario s = asked({{"campaign", R"({"duration": "2 days", "warm_up": "1 h",
                                              "streams": [{"kind": "run", "work": "12 h"}]})"},
                              {"failures", failures}});
    return run_campaign(s, catalog());
  };
  const CampaignReport none = campaign(R"({"checkpoint_stall": "30 s", "spares": 0})"),
                       two = campaign(R"({"checkpoint_stall": "30 s", "spares": 2})");
  CHECK(two.nodes == 4);
  CHECK(two.spares == 2);
  CHECK(two.power.idle > none.power.idle);
  CHECK(two.cost.cluster.own.capex - none.cost.cluster.own.capex >= Money{2 * 149'000.0});
}

TEST_CASE("issue 23, item 8: a sum with a missing part is at least what is known, and names the rest") {
  const Result r = simulated({{"cluster", kUnrated}, {"site.prices.date", "2024-06-01"}});
  CHECK_FALSE(r.answer.rack_units.has_value());
  CHECK_FALSE(r.answer.power_kw.has_value());
  const SiteReport& site = *r.site;
  for (const auto* missing : {&site.missing.prices, &site.missing.power, &site.missing.units}) {
    REQUIRE_FALSE(missing->empty());
    CHECK(has(missing->front(), "4 x "));
    CHECK(has(missing->front(), "p5.48xlarge"));
  }
  CHECK(has(reports::cost_text(site_document(site)), "at least "));
  CHECK(has(reports::cost_text(site_document(site)), "cannot be said"));
  CHECK_FALSE(site.cost->break_even.has_value());
  const std::string text = checked_json_text(r);
  CHECK(schema_faults(schema_text("result"), text) == "");
  const auto document = reports::load_result(text, "sums");
  CHECK(has(reports::render_text(document, {}), "at least"));
  for (const std::string& report : {reports::render_html(document), reports::render_markdown(document)}) {
    CHECK(has(report, "at least"));
    CHECK(has(report, "whose price is not known"));
    CHECK(has(report, "whose power is not known"));
  }
}

TEST_CASE("issue 23, item 8: no limit is decided by a sum with a missing part") {
  const auto sized = [](const std::string& path, const std::string& value) {
    return size(asked({{"cluster", kUnrated},
                       {"site.prices.date", "2024-06-01"},
                       {"goal", R"({"deadline": "10 days", "max_nodes": 4})"},
                       {path, value}}),
                catalog());
  };
  struct Case {
    const char *path, *value, *constraint, *fact;
  };
  for (const Case& c : {Case{"site.power", R"({"feed": "1 GW"})", "site_power", "power"},
                        Case{"site.racks", R"({"max_racks": 1000})", "max_racks", "rack units"},
                        Case{"site.racks", R"({"max_units": 9000})", "rack_units", "rack units"},
                        Case{"site.racks", R"({"power": "90 kW"})", "rack", "power"},
                        Case{"site.floor", R"({"area": "9000 m2"})", "floor_area", "rack units"},
                        Case{"site.prices.budget", "900 billion USD", "budget", "price"},
                        Case{"site.prices.opex_budget", "900 billion USD/year", "opex_budget", "power"},
                        Case{"site.prices.total_budget", "900 billion USD", "total_budget", "price"}}) {
    CAPTURE(c.path);
    CAPTURE(c.constraint);
    const Result r = sized(c.path, c.value);
    CHECK_FALSE(r.answer.feasible);
    const std::string found = conflict_sentence(r, c.constraint);
    CHECK(has(found, "cannot be decided"));
    CHECK(has(found, std::string{"the "} + c.fact));
    CHECK(has(found, "p5.48xlarge"));
  }
}

TEST_CASE(
    "issue 23, item 8: what larger clusters break by the known part alone stays open for smaller ones") {
  // Switches of 73 nodes draw more than 200 kW; of the nodes nobody says what they draw.
  const Result r = size(asked({{"cluster", R"({"node": "aws_p5_48xlarge"})"},
                               {"site.prices.date", "2024-06-01"},
                               {"site.power", R"({"feed": "200 kW"})"},
                               {"goal", R"({"deadline": "10 days", "max_nodes": 96})"}}),
                        catalog());
  CHECK_FALSE(r.answer.feasible);
  CHECK(has(conflict_sentence(r, "site_power"), "cannot be decided"));
  if (r.plan->nearest) {
    for (const std::string& limit : r.plan->nearest->undecided)
      CHECK(std::ranges::find(r.plan->nearest->breaks, limit) != r.plan->nearest->breaks.end());
    CHECK(has(reports::render_markdown(reports::load_result(checked_json_text(r), "x")),
              "cannot be decided: site power"));
  }
}

TEST_CASE("issue 23, item 8: racks of a sum with a missing part are those of what is known") {
  const Result r = simulated({{"cluster", kUnrated}, {"site.prices.date", "2024-06-01"}});
  const doc::Site site = site_document(*r.site);
  CHECK(
      has(reports::fullest_rack_text(site), "Of what is known of the equipment, the fullest rack may draw"));
  CHECK(reports::packing_text(site).starts_with("At least "));
}

TEST_CASE("issue 23, item 8: a limit that the known part alone breaks is broken") {
  const Result r =
      size(asked({{"cluster", kUnrated},
                  {"goal", R"({"deadline": "10 days", "max_nodes": 4})"},
                  {"site.racks", R"({"equipment": [{"name": "box", "units": 1, "power": "100 W"}]})"},
                  {"site.power", R"({"feed": "1 W"})"}}),
           catalog());
  REQUIRE(conflict(r, "site_power") != nullptr);
  CHECK(has(conflict(r, "site_power")->best, "at least"));
}

TEST_CASE("the lowest energy is not that of a node whose power nobody knows") {
  const Result r = size(asked({{"goal", R"({"deadline": "10 days", "max_nodes": 4,
                                            "objective": "lowest-energy"})"},
                               {"search", R"({"node": ["dgx1v_16gb", "aws_p5_48xlarge"]})"}}),
                        catalog());
  REQUIRE(r.plan->chosen);
  CHECK(r.plan->chosen->node == "dgx1v_16gb");
}

TEST_CASE("issue 23, item 9: a rack-scale system comes in a rack of its own") {
  const Result r = simulated({{"cluster", R"({"node": "gb200_nvl72_rack", "nodes": 2})"},
                              {"workloads.0.batch_per_gpu", "256"},
                              {"site.prices.date", "2025-06-01"}});
  const SitePlan& plan = r.site->plan;
  CHECK(plan.misfits.empty());
  REQUIRE(plan.packing);
  CHECK(plan.own_racks() == 2);
  CHECK(plan.packing->racks.size() > 2);  // the switches stand in others
  CHECK(plan.packing->racks.front()[0] == 1);
  const auto& own = r.site->racks.groups.front();
  CHECK(own.count == 2);
  CHECK(own.height == 48);
  CHECK(own.limit.base() == doctest::Approx(120'000));  // direct liquid
  CHECK(r.site->racks.groups.back().height == 42);
  const auto racks = std::ranges::find(r.site->bill, "42 U rack", &BillRow::item);
  REQUIRE(racks != r.site->bill.end());
  CHECK(racks->quantity == static_cast<double>(plan.packing->racks.size()) - 2);
  const std::string text = checked_json_text(r);
  CHECK(schema_faults(schema_text("result"), text) == "");
  CHECK_NOTHROW(reports::render_html(reports::load_result(text, "rack scale")));
}

TEST_CASE("issue 23, item 9: what a rack may draw holds for a rack-scale system, too") {
  for (const auto& set :
       Sets{{"site.racks", R"({"power": "100 kW"})"}, {"site.cooling", R"({"rack": "air"})"}}) {
    const auto& [path, value] = set;
    CAPTURE(set.first);
    const Result r = simulated({{"cluster", R"({"node": "gb200_nvl72_rack", "nodes": 1})"},
                                {"workloads.0.batch_per_gpu", "256"},
                                {"site.prices.date", "2025-06-01"},
                                {path, value}});
    REQUIRE_FALSE(r.site->plan.misfits.empty());
    CHECK(has(r.site->plan.misfits.front(), "draws 120 kW; its own rack may draw"));
  }
}

TEST_CASE("issue 23, item 11: a question of 2018 is compared with rents of 2018, or with none") {
  const Result known = simulated({});
  REQUIRE(known.site->cost->offer);
  CHECK(known.site->cost->offer->date <= "2018-10-31");
  const Result unknown = simulated({{"site.prices.rent", R"({"instance": "p3.8xlarge"})"}});
  CHECK_FALSE(unknown.site->cost->offer.has_value());
  CHECK_FALSE(unknown.site->cost->break_even.has_value());
  CHECK(has(reports::cost_text(site_document(*unknown.site)),
            "no rent to compare with: the first price of p3.8xlarge (on demand) that the catalogue knows"));
  CHECK(std::ranges::any_of(unknown.site->cost->missing, [](const doc::Reason& m) {
    return has(reports::reason_text(m), "2023-11-16, after 2018-10-31");
  }));
  const Result early = simulated({{"site.prices.date", "2016-06-30"}});
  CHECK_FALSE(early.site->cost->offer.has_value());
}

TEST_CASE("figures of the catalogue say of which year they are, whatever the year of the question") {
  const Result r = simulated({{"site.grid", R"({"region": "germany"})"}, {"site.prices.staff", "{}"}});
  const auto value = [&r](const std::string& name) {
    for (const Assumption& a : r.assumptions)
      if (reports::name_of(a) == name) return reports::value_of(a);
    return std::string{"no such assumption"};
  };
  CHECK(has(value("carbon intensity, Germany"), "g/kWh, of 2020"));
  CHECK(has(value("staff"), "a year, of 2019"));
  CHECK(has(value("interest"), "8 % a year, of no stated year"));
  CHECK(has(value("support"), "10 % a year"));
  CHECK(has(value("time until the purchase is written off"), "4 years"));
  const Result given = simulated({{"site.prices.interest", "0.05"}});
  for (const Assumption& a : given.assumptions) CHECK(a.what.code() != "interest");
}

TEST_CASE("a typical power that counts as the nameplate is an assumption") {
  const auto noted = [](const char* item) {
    const Result r = simulated({{"site.racks", fmt::format(R"({{"equipment": [{{"item": "{}"}}]}})", item)}});
    return std::ranges::any_of(r.assumptions,
                               [](const Assumption& a) { return a.what.code() == "typical_as_nameplate"; });
  };
  CHECK(noted("switches/sn2201"));
  CHECK_FALSE(noted("switches/arista_7050sx_64"));
}

TEST_CASE("prices of a later year are none, of equipment and of electricity") {
  const Result r = simulated({{"site.prices.date", "2016-06-30"}});
  const auto node = std::ranges::find(r.site->bill, "compute", &BillRow::group);
  REQUIRE(node != r.site->bill.end());
  CHECK_FALSE(node->price.has_value());  // announced in 2017
  CHECK(has(node->note, "the first is of 2017"));
  const std::string refusal = error_text([&] {
    check_names(asked({{"site.grid", R"({"tariff": "us_industrial_2024"})"}}), catalog());
  });
  CHECK(has(refusal, "is of 2024, after 2018-10-31"));
}
