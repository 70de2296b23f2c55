// The site of a scenario: the published racks, limits that make `size` say no, and input that cannot be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/site/result_site.hpp"
#include "scenarios/site/site_conflicts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Scenario shipped(const std::string& name, const std::vector<std::string>& sets = {}) {
  return load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/" + name + ".json", sets);
}

SiteReport site_of(const std::string& name, const std::vector<std::string>& sets = {}) {
  return simulate(shipped(name, sets), Catalog::builtin()).site.value();
}

int count_in(const RackCounts& counts, const SitePlan& plan, DeviceRole role) {
  int sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (plan.devices[k].role == role) sum += counts[k];
  }
  return sum;
}

bool has_conflict(const Result& result, const std::string& constraint) {
  return std::ranges::any_of(result.answer.conflicts,
                             [&](const Conflict& c) { return to_string(c.limit) == constraint; });
}

/// The message of reading the POD's scenario with one thing set.
std::string refusal(const std::string& set) {
  try {
    const Scenario scenario = shipped("dgx_pod_dgx1", {set});
    check_names(scenario, Catalog::builtin());
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("nine DGX-1, twelve storage servers and two switches are one POD rack by typical power") {
  const SiteReport site = site_of("dgx_pod_dgx1");
  REQUIRE(site.plan.packing.has_value());
  REQUIRE(site.plan.packing->racks.size() == 1);
  CHECK(site.plan.packing->optimal());
  const RackCounts& rack = site.plan.packing->racks.front();
  CHECK(count_in(rack, site.plan, DeviceRole::node) == 9);
  CHECK(count_in(rack, site.plan, DeviceRole::storage) == 12);
  CHECK(count_in(rack, site.plan, DeviceRole::leaf) + count_in(rack, site.plan, DeviceRole::equipment) == 2);
  // Published: 27 + 12 + 1 + 1 = 41 of 42 units.
  CHECK(site.racks.groups.front().units == 41);
  // By nameplate 9 x 3500 + 12 x 400 + 398 + 245 = 36,943 W of 35 kW: it does not fit, and the report says
  // so.
  CHECK(site.racks.groups.front().nameplate.base() == doctest::Approx(36'943));
  CHECK(site.racks.groups.front().typical.base() < 35'000);
  CHECK(site.racks.groups.front().expected.base() < 35'000);
  CHECK(site.racks.by_nameplate == 2);
  CHECK(site.racks.by_typical == 1);
  CHECK(reports::fullest_rack_text(site_document(site)).find("1.94 kW over") != std::string::npos);
}

TEST_CASE("three DGX-2, twelve storage servers and two switches are one POD rack by typical power") {
  const SiteReport site = site_of("dgx_pod_dgx2");
  REQUIRE(site.plan.packing->racks.size() == 1);
  // Published: 30 + 12 + 1 + 1 = 44 of 48 units.
  CHECK(site.racks.groups.front().units == 44);
  CHECK(site.plan.rack.units == 48);
  // 3 x 10,000 + 12 x 400 + 398 + 245 = 35,443 W.
  CHECK(site.racks.groups.front().nameplate.base() == doctest::Approx(35'443));
  CHECK(site.racks.by_nameplate == 2);
}

TEST_CASE("by nameplate the POD takes two racks, and one DGX-1 fewer fits one") {
  CHECK(site_of("dgx_pod_dgx1", {"site.racks.basis=nameplate"}).plan.packing->racks.size() == 2);
  const SiteReport eight = site_of("dgx_pod_dgx1", {"site.racks.basis=nameplate", "cluster.nodes=8"});
  CHECK(eight.plan.packing->racks.size() == 1);
}

TEST_CASE("a cap on the GPUs lowers the nameplate, the draw and the speed") {
  const Catalog catalog = Catalog::builtin();
  const Result free = simulate(shipped("dgx_pod_dgx1"), catalog);
  const Result capped = simulate(shipped("dgx_pod_dgx1", {"site.power.gpu_cap=200 W"}), catalog);
  // 8 x (300 - 200) W / 0.94 less per node.
  CHECK(free.site->plan.devices[0].nameplate.base() - capped.site->plan.devices[0].nameplate.base() ==
        doctest::Approx(800 / 0.94));
  CHECK(capped.site->power.it.value < free.site->power.it.value);
  CHECK(capped.site->power.cap_speed < 1);
  const double slower = capped.prediction.time_to_train.value / free.prediction.time_to_train.value;
  CHECK(slower > 1.02);
  CHECK(slower <= 1 / capped.site->power.cap_speed * 1.001);
  // Fewer watts for longer, but less energy: that is what caps are for.
  CHECK(capped.site->power.runs[0].it < free.site->power.runs[0].it);
}

TEST_CASE("power adds up") {
  const PowerReport p = site_of("dgx_pod_dgx1").power;
  CHECK((p.nodes + p.switches + p.storage + p.equipment).base() == doctest::Approx(p.it.value));
  double step = 0, energy = 0;
  for (const auto& part : p.step) {
    step += part.time.base();
    energy += (part.time * part.node).base();
  }
  // The mean over the step is the power that the site counts with.
  CHECK(9 * energy / step == doctest::Approx(p.nodes.base()));
  CHECK(p.it.low < p.it.value);
  CHECK(p.it.value < p.it.high);
  CHECK(p.it.high <= p.nameplate.base());
  CHECK(p.runs[0].it.base() == doctest::Approx(p.it.value * p.runs[0].time.base()));
}

TEST_CASE("the bill adds up, and what has no price is said") {
  const SiteReport site = site_of("dgx_pod_dgx1");
  double sum = 0;
  for (const BillRow& row : site.bill) sum += row.total().base();
  CHECK(site.cost->own.capex.base() == doctest::Approx(sum));
  int cables = 0;
  for (const CableGroup& group : site.network->cables) cables += group.count;
  CHECK(cables == 9 * 2 + 12);
  CHECK(std::ranges::any_of(site.cost->missing, [](const doc::Reason& m) { return m.code() == "no_staff"; }));
  const SiteReport unpriced = site_of("dgx_pod_dgx1", {"storage.array=ddn_ai200", "storage.count=1"});
  const auto row = std::ranges::find(unpriced.bill, std::string{"storage"}, &BillRow::group);
  REQUIRE(row != unpriced.bill.end());
  CHECK_FALSE(row->price.has_value());
  CHECK(row->note == "no price in the catalogue");
  CHECK(std::ranges::any_of(unpriced.cost->missing, [&](const doc::Reason& m) {
    return m.has("item") && m.text("item") == row->item;
  }));
}

TEST_CASE("size keeps to the limits of the site") {
  const Catalog catalog = Catalog::builtin();
  const auto sized = [&](const std::vector<std::string>& sets) {
    return size(shipped("power_limited_site", sets), catalog);
  };
  const Result fits = sized({});
  CHECK(fits.answer.feasible);
  CHECK(fits.answer.nodes > 1);
  for (const auto& [set, constraint] : std::vector<std::pair<std::string, std::string>>{
           {"site.power.feed=20 kW", "site_power"},
           {"site.floor.area=3 m2", "floor_area"},
           {"site.racks.max_racks=1", "max_racks"},
           {"site.racks.power=5 kW", "rack"},
           {"site.racks.units=6", "rack"},
           {"site.racks.load=100 kg", "rack"},
           {R"(site.prices={"date": "2021-07-01", "budget": "1 million USD"})", "budget"}}) {
    const std::string setting{set};
    CAPTURE(setting);
    const Result result = sized({set});
    CHECK_FALSE(result.answer.feasible);
    CHECK(has_conflict(result, constraint));
    CHECK(result.answer.binding_constraint == constraint);
  }
  // A budget that nothing prices is a conflict too, not a silent yes.
  const Result unknown = sized(
      {"storage.array=ddn_ai200", R"(site.prices={"date": "2021-07-01", "budget": "100 million USD"})"});
  CHECK(has_conflict(unknown, "budget"));
}

TEST_CASE("site input that cannot be is refused at its place, with a hint") {
  const auto says = [](const std::string& set, const std::string& part) {
    const std::string message = refusal(set);
    CAPTURE(set);
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
  };
  says("site.racks.power=-35 kW", "more than zero");
  says("site.racks.power=35", "unit");
  says("site.racks.power=35 kg", "power");
  says("site.racks.units=0", "units");
  says("site.racks.rack=wardrobe", "standard_42ru");
  says("site.racks.reserved_units=50", "reserved");
  says("site.racks.method=magic", "first_fit");
  says(R"(site.racks.equipment=[{"name": "box", "units": 0, "power": "1 W"}])", "units");
  says(R"(site.racks.equipment=[{"item": "gpus/v100_sxm2_16gb"}])", "switches/");
  says(R"(site.racks.equipment=[{"item": "switches/sn9999"}])", "sn9999");
  says(R"(site.cooling={"pue": 0.9})", "at least 1");
  says(R"(site.cooling={"pue": 1.2, "plant": "modern_air"})", "say the same");
  says(R"(site.cooling={"climate": "4A"})", "cooling plant");
  says("site.cooling.plant=small_air_chiler", "cooling plant");
  says("site.cooling.climate=12Q", "climate zone");
  says("site.power.gpu_cap=0 W", "gpu_cap");
  says("site.power.utilisation=1.5", "utilisation");
  says("site.grid.region=atlantis", "grid region");
  says("site.grid.tariff=nordic_large_industrial", "electricity price");
  says("site.prices.date=January 2019", "is not a date");
  says(R"(site.prices={"budget": "1 million USD"})", "date");
  says(R"(site.prices.items=[{"item": "nodes/dgx1v_32gb", "price": "100 USD"}])", "date");
  says(R"(site.prices.rent={"instance": "x1.huge"})", "cloud instance");
  says(R"(site.prices.rent={"terms": "forever"})", "on_demand");
  says("site.prices.depreciation=1 s", "over a day to 100 years");
  says("site.prices.depreciation=1e-300 s", "between 1 ps and 30000 years");
  says("site.prices.depreciation=1000 years", "over a day to 100 years");
  says("site.raks={}", "racks");
}

TEST_CASE("a cap below what was measured is refused at the scenario's place") {
  const Scenario scenario = shipped("dgx_pod_dgx1", {"site.power.gpu_cap=60 W"});
  CHECK_THROWS_WITH_AS(simulate(scenario, Catalog::builtin()), doctest::Contains("below what was measured"),
                       Error);
}

TEST_CASE("a node that the catalogue does not rate is reported, not guessed") {
  const SiteReport site = site_of("dgx_pod_dgx1", {"cluster={\"node\": \"aws_p3_16xlarge\", \"nodes\": 2}"});
  CHECK_FALSE(site.power.known);
  CHECK(reports::power_text(site_document(site)).find("no power rating") != std::string::npos);
  CHECK_FALSE(site.plan.unknown.empty());
}

TEST_CASE("a site's result validates, loads, and makes a page with its sections") {
  const Catalog catalog = Catalog::builtin();
  for (const char* name : {"dgx_pod_dgx1", "dgx_pod_dgx2", "buy_or_rent"}) {
    CAPTURE(name);
    const std::string text = checked_json_text(simulate(shipped(name), catalog));
    CHECK(schema_faults(schema_text("result"), text) == "");
    const std::string page = reports::render_html(reports::load_result(text, name));
    for (const char* id : {"racks", "power", "network", "cost", "bill"}) {
      CHECK(page.find(fmt::format(" id=\"{}\"", id)) != std::string::npos);
    }
    CHECK(page.find("<svg class=\"rack\"") != std::string::npos);
  }
}
