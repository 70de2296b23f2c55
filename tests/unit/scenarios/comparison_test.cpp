// Results side by side: aligned, with differences and their intervals.
#include "scenarios/result/comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reports/pages/comparison_report.hpp"
#include "reports/writers/writers.hpp"
#include "scenarios/document/form/read.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/schema_faults.hpp"

using namespace rackcast;

namespace {

doc::Any scenario(const char* text) {
  return doc::Custom<doc::Any>::read(parse_json(text, "scenario"));
}

/// 8 nodes take 13 days, 13 nodes 8 days.
std::vector<ComparedResult> two() {
  std::vector<ComparedResult> out(2);
  out[0].file = "a.json";
  out[1].file = "b.json";
  for (ComparedResult& r : out) {
    r.result.head.kind = "size";
    r.result.answer.feasible = true;
    r.result.answer.node_title = "DGX-1V";
    r.result.answer.binding_constraint = "deadline";
    r.result.site.emplace();
    r.result.site->cost.emplace();
  }
  out[0].result.answer.nodes = 8;
  out[1].result.answer.nodes = 13;
  out[0].result.performance.time_to_train = doc::Prediction{13, 9, 16, "s"};
  out[1].result.performance.time_to_train = doc::Prediction{8, 5, 12, "s"};
  out[0].result.site->bill_total_usd = 1e6;
  out[1].result.site->bill_total_usd = 1.5e6;
  out[0].result.head.text =
      scenario(R"({"name": "A", "cluster": {"nodes": 8}, "goal": {"deadline": "14 days"}})");
  out[1].result.head.text = scenario(R"({"name": "B", "cluster": {"nodes": 13}, "seed": 7})");
  return out;
}

const doc::Comparison::Figure& figure(const doc::Comparison& c, const std::string& name) {
  const auto found = std::ranges::find(c.figures, name, &doc::Comparison::Figure::figure);
  REQUIRE(found != c.figures.end());
  return *found;
}

std::string refusal(const std::vector<ComparedResult>& results) {
  try {
    (void)compare(results);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::invalid_input);
    return e.message() + " | " + e.hint();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a difference is to the first result, and independent errors add in quadrature") {
  const doc::Comparison c = compare(two());
  const auto& time = figure(c, "time_to_train");
  CHECK(*time.differences[0].value == -5);
  // low: b may be 3 less and a 3 more, sqrt(9 + 9); high: b 4 more and a 4 less, sqrt(16 + 16).
  CHECK(*time.differences[0].low == doctest::Approx(-5 - std::sqrt(18.0)));
  CHECK(*time.differences[0].high == doctest::Approx(-5 + std::sqrt(32.0)));
  CHECK(*figure(c, "nodes").differences[0].value == 5);
  CHECK(*figure(c, "purchase").differences[0].value == 0.5e6);
  CHECK_FALSE(figure(c, "purchase").differences[0].low.has_value());
  CHECK(figure(c, "node").differences.empty());  // texts have none
}

TEST_CASE("a sum that leaves something out makes its difference open, and what one lacks is empty") {
  auto results = two();
  results[1].result.site->no_price = {"2 x a switch"};
  results[1].result.performance.time_to_train.reset();
  const doc::Comparison c = compare(results);
  CHECK(figure(c, "purchase").differences[0].at_least);
  CHECK_FALSE(figure(c, "purchase").values[0].at_least);
  CHECK_FALSE(figure(c, "time_to_train").differences[0].value.has_value());
  CHECK(std::ranges::find(c.figures, "latency", &doc::Comparison::Figure::figure) == c.figures.end());
}

TEST_CASE("inputs that differ are listed by their pointers; names are not") {
  const doc::Comparison c = compare(two());
  REQUIRE(c.inputs.size() == 3);
  CHECK(c.inputs[0].pointer == "/cluster/nodes");
  CHECK(c.inputs[0].values == std::vector<std::string>{"8", "13"});
  CHECK(c.inputs[1].values == std::vector<std::string>{"14 days", ""});
  CHECK(c.inputs[2].values == std::vector<std::string>{"", "7"});
}

TEST_CASE("one result, and a training beside a service, are refused") {
  auto results = two();
  results[1].result.serving.emplace();
  CHECK(refusal(results).find("a.json trains and b.json serves") != std::string::npos);
  results.pop_back();
  CHECK(refusal(results).find("two or more") != std::string::npos);
}

TEST_CASE("the document is read as it is written, keeps its schema, and is the whole of the page") {
  auto results = two();
  results.push_back(results[0]);
  results[2].file = "c.json";
  results[2].result.answer.feasible = false;
  const std::string json = doc::document_text(compare(results));
  const auto read = doc::read_document<doc::Comparison>(parse_json(json, "x"));
  CHECK(doc::document_text(read) == json);
  CHECK(schema_faults(doc::document_schema<doc::Comparison>(), json) == "");
  const std::string page = reports::write_text(reports::comparison_report(json, "x"), {.width = 200});
  CAPTURE(page);
  CHECK(page.find("B has 5 nodes more, is done 5 s sooner, and costs 500,000 USD more to buy.") !=
        std::string::npos);
  CHECK(page.find("C breaks a limit, which A does not.") != std::string::npos);
  CHECK(page.find("+500,000 USD, +50 %") != std::string::npos);
}

TEST_CASE("a comparison whose rows lack a result is refused") {
  doc::Comparison c = compare(two());
  c.figures.front().values.pop_back();
  CHECK_THROWS_AS((void)reports::comparison_report(doc::document_text(c), "x"), Error);
  CHECK_THROWS_AS((void)reports::comparison_report("{\"format\": \"rackcast-result\", \"version\": 3}", "x"),
                  Error);
}
