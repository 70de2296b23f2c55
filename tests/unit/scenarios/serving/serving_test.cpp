// A fleet that serves: the answer is proven on both sides, every limit binds where it must, and bad input is
// told.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/serving/service_result.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog builtin = Catalog::builtin();
  return builtin;
}

std::string text_of(const std::string& serving, const std::string& rest = "") {
  return R"({"name": "photos", "serving": {"model": "resnet50-v1.5", "precision": "fp16", )" + serving +
         R"(}, "cluster": {"node": "dgx1v_16gb"})" + rest + "}";
}

Scenario scenario(const std::string& serving, const std::string& rest = "") {
  return read_serving_scenario(parse_json(text_of(serving, rest), "fleet.json"), "fleet.json");
}

ServiceResult sized(const std::string& serving, const std::string& rest = "") {
  return size_service(scenario(serving, rest), catalog());
}

constexpr const char* kBusy = R"("rate": "60000/s", "peak": 2, "latency": "20 ms", "max_batch": 32)";

std::string refusal(const std::string& serving, const std::string& rest = "") {
  try {
    (void)sized(serving, rest);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::invalid_input);
    CHECK(e.where().line > 0);
    return e.message() + " | " + e.hint();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the fleet keeps the latency in the busiest hour, and one node fewer does not") {
  const ServiceResult r = sized(kBusy);
  REQUIRE(r.answer.feasible);
  const ServiceNode& node = *r.chosen.server;
  const Frequency peak{120'000};
  CHECK(r.chosen.needed > 1);
  CHECK(r.answer.nodes == r.chosen.needed);
  CHECK(node.holds(peak, r.chosen.needed));
  CHECK_FALSE(node.holds(peak, r.chosen.needed - 1));
  CHECK(r.at_peak.asked <= Duration{0.02});
  REQUIRE(r.answer.why_not_fewer);
  CHECK(r.answer.why_not_fewer->nodes == r.chosen.needed - 1);
  REQUIRE(r.least);
  REQUIRE(r.most);
  CHECK(*r.least <= r.chosen.needed);
  CHECK(*r.most >= r.chosen.needed);
  CHECK(r.day.size() == 24);
  for (const ServiceHour& hour : r.day) {
    CHECK(hour.busy_low < hour.gpu.utilisation);
    CHECK(hour.gpu.utilisation < hour.busy_high);
  }
  for (const ServiceSize& size : r.sizes) {
    if (!size.gpu.saturated) CHECK(*size.low_s < size.gpu.asked.base());
    if (size.high_s) CHECK(size.gpu.asked.base() < *size.high_s);
    if (size.gpu.saturated) CHECK_FALSE(size.high_s);  // slower still is overloaded still
    if (size.nodes == r.chosen.needed) {
      CHECK(size.low_s == r.fast_s);
      CHECK(size.high_s == r.slow_s);
    }
  }
}

TEST_CASE("twice the load takes about twice the nodes, a longer latency no more, a shorter no fewer" *
          doctest::test_suite("long")) {
  const int base = sized(kBusy).chosen.needed;
  const int twice =
      sized(R"("rate": "120000/s", "peak": 2, "latency": "20 ms", "max_batch": 32)").chosen.needed;
  CHECK(twice >= 2 * base - 1);
  CHECK(twice <= 2 * base);
  CHECK(sized(R"("rate": "60000/s", "peak": 2, "latency": "200 ms", "max_batch": 32)").chosen.needed <= base);
  CHECK(sized(R"("rate": "60000/s", "peak": 2, "latency": "6 ms", "max_batch": 32)").chosen.needed >= base);
}

TEST_CASE("the busiest hour decides, however it is said") {
  std::string hours = "1";
  for (int h = 1; h < 23; ++h) hours += ", 1";
  // One hour of 25 beside 23 of 1: 25 x 24 / 48 = 12.5 times the mean.
  const ServiceResult r =
      sized(R"("rate": "9600/s", "hours": [)" + hours + R"(, 25], "latency": "20 ms", "max_batch": 32)");
  CHECK(r.scenario.serving->peak() == doctest::Approx(12.5));
  CHECK(r.chosen.needed == sized(kBusy).chosen.needed);
}

TEST_CASE("a request a week is answered as a lone one") {
  const ServiceResult r = sized(R"("rate": "0.00001/s", "latency": "20 ms")");
  CHECK(r.answer.feasible);
  CHECK(r.answer.nodes == 1);
  CHECK(r.at_peak.asked == r.chosen.server->single());
}

TEST_CASE("spares stand beside what is needed, and an availability finds their number") {
  const ServiceResult plus_one = sized(std::string{kBusy} + R"(, "spares": 1)");
  CHECK(plus_one.answer.nodes == plus_one.chosen.needed + 1);
  CHECK(plus_one.all_up.asked < plus_one.at_peak.asked);
  const ServiceResult sure = sized(std::string{kBusy} + R"(, "availability": 0.99999)",
                                   R"(, "failures": {"node_mtbf": "500 h", "repair": "48 h"})");
  CHECK(sure.chosen.spares > 0);
  CHECK(sure.chosen.availability >= 0.99999);
  CHECK(fleet_availability(sure.chosen.needed, sure.chosen.spares - 1, sure.chosen.down) < 0.99999);
}

TEST_CASE("the network, the host's cores, memory, max_nodes and a latency that no GPU keeps are limits" *
          doctest::test_suite("long")) {
  const ServiceResult network = sized(std::string{kBusy} + R"(, "request": "5 MB")");
  CHECK(network.chosen.binds == "network ports");
  CHECK(has(reports::why_text(network.answer.why_not_fewer->why), "network ports"));
  const ServiceResult cores = sized(std::string{kBusy} + R"(, "record": "jpeg")");
  CHECK(cores.chosen.binds == "decoding on the host's cores");
  CHECK(cores.chosen.needed > sized(kBusy).chosen.needed);

  const ServiceResult latency = sized(R"("rate": "100/s", "latency": "100 us")");
  CHECK_FALSE(latency.answer.feasible);
  CHECK(latency.answer.binding_constraint == "latency");
  const ServiceResult few = sized(kBusy, R"(, "goal": {"max_nodes": 1})");
  CHECK_FALSE(few.answer.feasible);
  CHECK(few.answer.binding_constraint == "max_nodes");
  const ServiceResult many = sized(R"("rate": "1000000000000/s", "peak": 12, "latency": "20 ms")");
  CHECK_FALSE(many.answer.feasible);
  CHECK(many.answer.binding_constraint == "max_nodes");
  const ServiceResult feed = sized(kBusy, R"(, "site": {"power": {"feed": "1 kW"}})");
  CHECK_FALSE(feed.answer.feasible);
  CHECK(feed.answer.binding_constraint == "site_power");
}

TEST_CASE("the objective decides among nodes and precisions; one that cannot be says why") {
  const std::string search =
      R"(, "search": {"node": ["dgx1_p100", "dgx1v_16gb"], "precision": ["fp16", "int8"]})";
  const ServiceResult r = sized(kBusy, search);
  REQUIRE(r.options.size() == 4);
  CHECK_FALSE(r.options[1].feasible());  // a P100 has no int8 arithmetic
  CHECK(r.options[1].conflicts.front().limit == Limit::precision);
  for (const ServiceOption& o : r.options)
    if (o.feasible()) CHECK(r.answer.nodes <= o.nodes());
}

TEST_CASE("without an answer the nearest choice says what it lacks") {
  const std::string search =
      R"(, "search": {"node": ["dgx1_p100", "dgx1v_16gb"], "precision": ["int8", "fp16"]})";
  const ServiceResult r = sized(R"("rate": "100/s", "latency": "100 us")", search);
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.answer.node == "dgx1v_16gb");
  CHECK(has(answer_sentence(r), "None of the 4 choices"));
}

TEST_CASE("what a fleet's site allows conflicts with its latency, and each can be kept without the other" *
          doctest::test_suite("long")) {
  const ServiceResult r = sized(kBusy, R"(, "site": {"prices": {"date": "2018-06-30"}})");
  REQUIRE(r.answer.feasible);
  const CostReport& cost = *r.chosen.site->cost;
  const double capex = cost.own.capex.base(), life = cost.own.over_life(cost.utilisation).base();
  const double year = ((cost.own.total(cost.utilisation) - cost.own.capital()) * hours_of_year).base();
  const auto conflicts = [](const std::string& site) {
    const ServiceResult less = sized(kBusy, R"(, "site": {)" + site + "}");
    CHECK_FALSE(less.answer.feasible);
    CHECK(has(answer_sentence(less), "No candidate keeps these 2 limits together"));
    CHECK(schema_faults(schema_text("result"), checked_json_text(less)) == "");
    std::vector<std::string> names;
    for (const Conflict& c : less.answer.conflicts) names.emplace_back(to_string(c.limit));
    return names;
  };
  const auto prices = [](const char* name, double value, const char* unit) {
    return fmt::format(R"("prices": {{"date": "2018-06-30", "{}": "{} {}"}})", name, value, unit);
  };
  using Names = std::vector<std::string>;
  CHECK(conflicts(prices("budget", 0.99 * capex, "USD")) == Names{"budget", "latency"});
  CHECK(conflicts(prices("opex_budget", 0.99 * year, "USD/year")) == Names{"opex_budget", "latency"});
  CHECK(conflicts(prices("total_budget", 0.99 * life, "USD")) == Names{"total_budget", "latency"});
  CHECK(conflicts(R"("racks": {"max_units": 8})") == Names{"rack_units", "latency"});
  CHECK(conflicts(R"("floor": {"area": "3 m2"}, "racks": {"power": "7 kW"})") ==
        Names{"floor_area", "latency"});
  CHECK(conflicts(R"("power": {"feed": "12 kW"})") == Names{"site_power", "latency"});
  CHECK(sized(kBusy, R"(, "site": {)" + prices("budget", 1.01 * capex, "USD") + "}").answer.feasible);
}

TEST_CASE("a given number of nodes is simulated: enough, or overloaded") {
  Scenario s = scenario(kBusy);
  s.cluster.nodes = 40;
  CHECK(simulate_service(s, catalog()).answer.feasible);
  s.cluster.nodes = 1;
  const ServiceResult one = simulate_service(s, catalog());
  CHECK_FALSE(one.answer.feasible);
  CHECK(one.answer.binding_constraint == "latency");
}

TEST_CASE("the same question gives the same bytes, and they validate against the schema") {
  const std::string site = R"(, "site": {"prices": {"date": "2020-06-30"}})";
  const std::string text = checked_json_text(sized(kBusy, site));
  CHECK(text == checked_json_text(sized(kBusy, site)));
  CHECK(schema_faults(schema_text("result"), text) == "");
  CHECK(schema_faults(schema_text("scenario"), text_of(kBusy, site)) == "");
  CHECK(schema_faults(schema_text("result"),
                      checked_json_text(sized(R"("rate": "100/s", "latency": "100 us")"))) == "");
}

TEST_CASE("bad input of a fleet that serves is told with its place") {
  CHECK(has(refusal(R"("rate": "-5/s", "latency": "20 ms")"), "rate"));
  CHECK(has(refusal(R"("rate": "0/s", "latency": "20 ms")"), "rate"));
  CHECK(has(refusal(R"("rate": "1e300/s", "latency": "20 ms")"), "between 1e-12/s and 1e18/s"));
  CHECK(has(refusal(R"("rate": "1e13/s", "latency": "20 ms")"), "0.000001/s and 1e12/s"));
  CHECK(has(refusal(R"("rate": 1000, "latency": "20 ms")"), "rate"));
  CHECK(has(refusal(R"("rate": "1000 GB", "latency": "20 ms")"), "1000 GB"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "0 ms")"), "latency"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "2 h")"), "1 h"));
  CHECK(has(refusal(R"("rate": "1000/s")"), "latency"));
  CHECK(has(refusal(R"("latency": "20 ms")"), "rate"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "percentile": 100)"), "percentile"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "peak": 0.5)"), "peak"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "peak": 2, "hours": [1])"), "say the same"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "hours": [1, 2])"), "24 hours"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "max_batch": 0)"), "max_batch"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "spares": 1, "availability": 0.9)"),
            "say the same"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "availability": 1)"), "availability"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "record": "scroll")"), "scroll"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "record_size": 1)"), "record"));
  CHECK(has(refusal(R"("rate": "1000/s", "latency": "20 ms", "latncy": "1 ms")"), "latncy"));
  CHECK(has(refusal(kBusy, R"(, "goal": {"deadline": "14 days"})"), "no deadline"));
  CHECK(has(refusal(kBusy, R"(, "goal": {"objective": "fastest"})"), "never finishes"));
  CHECK(has(refusal(kBusy, R"(, "goal": {"objective": "lowest-cost"})"), "prices"));
  CHECK(has(refusal(kBusy, R"(, "search": {"batch_per_gpu": [1, 2]})"), "batch_per_gpu"));
  CHECK(has(refusal(kBusy, R"(, "search": {"precision": ["mixed"]})"), "mixed"));
  CHECK(has(refusal(kBusy, R"(, "workloads": [])"), "workloads"));
  CHECK(has(refusal(kBusy, R"(, "failures": {"checkpoint": "daly"})"), "spares"));
  CHECK(has(refusal(kBusy, R"(, "search": {"node": ["dgx_9000"]})"), "dgx_9000"));
}

TEST_CASE("commands about training refuse a scenario that serves") {
  const Json text = parse_json(text_of(kBusy), "fleet.json");
  CHECK(serves(text));
  CHECK_THROWS_WITH_AS((void)read_scenario(text, "fleet.json"), doctest::Contains("serves requests"), Error);
}

TEST_CASE("the odds of a fleet are those with which it holds, and 90 % take a fleet with its own price") {
  const ServiceResult r =
      sized(kBusy, R"(, "site": {"prices": {"date": "2018-06-30"}}, "goal": {"max_nodes": 400})");
  REQUIRE(r.in_time);
  CHECK(*r.in_time >= 0.5);  // the answer holds as expected
  CHECK(*r.in_time < 0.9);   // and is the smallest that does
  const double sigma = r.chosen.server->log_sigma();
  const Frequency peak = r.scenario.serving->peak_rate();
  // 0.9 is the quantile of 1.2816 standard deviations.
  CHECK_FALSE(r.chosen.server->holds(peak, r.chosen.needed, std::exp(1.2816 * sigma)));
  REQUIRE(r.confident);
  REQUIRE(r.confident->at);
  CHECK(*r.confident->probability >= 0.9);
  CHECK(r.confident->at->nodes > r.chosen.nodes());
  CHECK(r.chosen.server->holds(peak, static_cast<int>(r.confident->at->nodes), std::exp(1.2816 * sigma)));
  // The price of so many nodes, simulated as a fleet of its own.
  const ServiceResult own = simulate_service(
      read_serving_scenario(
          parse_json(R"({"name": "photos", "serving": {"model": "resnet50-v1.5", "precision": "fp16", )" +
                         std::string{kBusy} + R"(}, "cluster": {"node": "dgx1v_16gb", "nodes": )" +
                         std::to_string(r.confident->at->nodes) +
                         R"(}, "site": {"prices": {"date": "2018-06-30"}}})",
                     "own.json"),
          "own.json"),
      catalog());
  REQUIRE(own.chosen.site);
  CHECK(*r.confident->at->capex_usd == own.chosen.site->cost->own.capex.base());
}
