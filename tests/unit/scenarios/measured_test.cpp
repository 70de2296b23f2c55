// What the owner measured: the rows of a scenario, and what they do to its answer.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "reports/writers/writers.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_result.hpp"
#include "sim/base/error.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

std::string text_with(const std::string& measured, int nodes = 1, const std::string& more = "") {
  return fmt::format(R"({{"name": "x", "data": {{"samples": 1281167}},
 "workloads": [{{"model": "resnet50", "epochs": 1, "batch_per_gpu": 64, "framework": {{"name": "tensorflow"}}}}{}],
 "cluster": {{"node": "dgx1_p100", "nodes": {}}}{}}})",
                     more, nodes, measured.empty() ? "" : ",\n \"measured\": [" + measured + "]");
}

Scenario scenario(const std::string& measured, int nodes = 1, const std::string& more = "") {
  return read_scenario(parse_json(text_with(measured, nodes, more), "x.json"), "x.json");
}

Result answer(const std::string& measured, int nodes = 1) {
  return simulate(scenario(measured, nodes), catalog(), nullptr, {});
}

double rate_on_one(double factor) {
  const Scenario s = scenario("");
  Evaluator evaluator{catalog(), {}, s};
  Question q = question(s, s.workloads.front());
  q.gpus = 1;
  return factor * evaluator.predict(q).samples_per_s.value;
}

std::string one_gpu(double rate, double spread = 0.001) {
  return fmt::format(R"({{"gpus": 1, "samples_per_s": {:.17g}, "spread": {}}})", rate, spread);
}

double width(const Estimate& e) {
  return std::log(e.high / e.low);
}

std::string fault(const std::string& rows, const std::string& more = "") {
  return error_text([&] { (void)simulate(scenario(rows, 1, more), catalog(), nullptr, {}); });
}

}  // namespace

TEST_CASE("a measurement exactly at the prediction moves nothing and narrows the interval") {
  const Prediction before = answer("", 2).prediction;
  const Prediction after = answer(one_gpu(rate_on_one(1)), 2).prediction;
  CHECK(after.time_to_train.value == doctest::Approx(before.time_to_train.value).epsilon(1e-9));
  CHECK(width(after.time_to_train) < 0.8 * width(before.time_to_train));
  CHECK(width(after.time_to_train) > 0);
}

TEST_CASE("twice as fast on one GPU moves larger counts by the share of the kernels") {
  const Result before = answer("", 4), after = answer(one_gpu(rate_on_one(2)), 4);
  const StepParts &was = before.workloads.front().run.parts, &is = after.workloads.front().run.parts;
  // What is not hidden behind kernels at twice their speed is at least half of the old step.
  CHECK(is.total < 0.75 * was.total);
  CHECK(is.total >= 0.49 * was.total);
  const MeasuredComparison& row = after.measured.front();
  CHECK(row.after.value == doctest::Approx(row.run.row.value).epsilon(0.002));
  CHECK(row.before.value == doctest::Approx(row.run.row.value / 2).epsilon(1e-6));
  REQUIRE(row.moved);
  CHECK(1 + *row.moved == doctest::Approx(is.total / was.total).epsilon(0.01));
}

TEST_CASE("a run on one GPU says nothing of the network, one on several nodes does") {
  const auto spread_of = [](const std::string& rows) {
    const Scenario s = scenario(rows, 8);
    Evaluator evaluator{catalog(), {}, s};
    return evaluator.spread(question(s, s.workloads.front()));
  };
  const Spread none = spread_of(""), one = spread_of(one_gpu(rate_on_one(1)));
  CHECK(one.compute < 0.1 * none.compute);
  CHECK(one.network == none.network);
  const Scenario s = scenario("", 8);
  Evaluator evaluator{catalog(), {}, s};
  const double rate = evaluator.predict(question(s, s.workloads.front())).samples_per_s.value;
  const Spread both =
      spread_of(one_gpu(rate_on_one(1)) +
                fmt::format(R"(, {{"nodes": 8, "samples_per_s": {:.17g}, "spread": 0.001}})", rate));
  CHECK(both.network < none.network);
  CHECK(both.scaling < none.scaling);
}

TEST_CASE("the order of rows changes no prediction") {
  const std::string a = one_gpu(rate_on_one(1.2), 0.03),
                    b = R"({"nodes": 2, "samples_per_s": 2900, "synthetic_data": true})";
  const Prediction first = answer(a + ", " + b, 4).prediction, second = answer(b + ", " + a, 4).prediction;
  CHECK(first.time_to_train.value == second.time_to_train.value);
  CHECK(first.time_to_train.low == second.time_to_train.low);
  CHECK(first.time_to_train.high == second.time_to_train.high);
}

TEST_CASE("step time and rate say the same") {
  const double rate = rate_on_one(1.3);
  const Prediction by_rate = answer(one_gpu(rate)).prediction;
  const Prediction by_step =
      answer(fmt::format(R"({{"gpus": 1, "step_time": "{:.12g} ms", "spread": 0.001}})", 64e3 / rate))
          .prediction;
  CHECK(by_step.time_to_train.value == doctest::Approx(by_rate.time_to_train.value).epsilon(1e-9));
}

TEST_CASE("contradictions are reported and not refused") {
  const double rate = rate_on_one(1);
  const Result r = answer(one_gpu(8 * rate, 0.03) + ", " + one_gpu(4 * rate, 0.03));
  REQUIRE(r.measured.size() == 2);
  CHECK(r.measured[0].contradicts);
  CHECK(r.measured[0].conflicts == std::vector<std::size_t>{1});
  const auto document = reports::load_result(to_json_text(r), "x");
  REQUIRE(document.measured.size() == 2);
  CHECK(document.measured[0].conflicts.front() == 2);
  const std::string page = reports::render_text(document, {});
  CHECK(page.find("A measurement contradicts the model") != std::string::npos);
  CHECK(page.find("Measurements contradict each other") != std::string::npos);
  CHECK_FALSE(answer(one_gpu(1.01 * rate)).measured[0].contradicts);
}

TEST_CASE("a result without measurements has no trace of them") {
  CHECK(parse_json(to_json_text(answer("")), "result").find("measured") == nullptr);
}

TEST_CASE("every fault of a row is named at its place") {
  const auto says = [](const std::string& rows, const std::string& words) {
    const std::string text = fault(rows);
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
    CHECK(text.find("x.json:4:") != std::string::npos);
  };
  says(R"({"samples_per_s": 0})", "above zero");
  says(R"({"samples_per_s": -3})", "samples_per_s");
  says(R"({"step_time": 0.25})", "unit");
  says(R"({"nodes": 1})", "says nothing that was measured");
  says(R"({"samples_per_s": 3, "step_time": "1 s"})", "\"samples_per_s\" and \"step_time\"");
  says(R"({"nodes": 2, "gpus": 12, "gpus_per_node": 8, "samples_per_s": 3})", "have 16 GPUs, not 12");
  says(R"({"nodes": 4, "gpus": 2, "samples_per_s": 3})", "leave some of 4 nodes");
  says(R"({"gpus": 9, "samples_per_s": 3})", "9 GPUs do not fit one node");
  says(R"({"nodes": 3, "gpus": 8, "samples_per_s": 3})", "fill 1 of 3 nodes");
  says(R"({"samples_per_s": 3}, {"samples_per_s": 3})", "repeats row 1");
  says(R"({"tokens_per_s": 3})", "takes no tokens");
  says(R"({"precision": "fp8", "samples_per_s": 3})", "the measured run cannot be built");
  says(R"({"workload": "resnet5", "samples_per_s": 3})", "no workload \"resnet5\"");
  says(R"({"samples_per_s": 3, "spread": 2})", "spread");
  says(R"({"sampels_per_s": 3})", "sampels_per_s");
  const std::string second = R"(, {"model": "vgg16", "epochs": 1})";
  CHECK(fault(R"({"samples_per_s": 3})", second).find("this row names none") != std::string::npos);
}

TEST_CASE("a served node takes the load that its measured passes allow") {
  const auto served = [](const std::string& measured) {
    const std::string text =
        R"({"name": "x", "serving": {"model": "resnet50", "rate": "1000/s", "latency": "20 ms"},
 "cluster": {"node": "dgx1v_16gb", "nodes": 1})" +
        (measured.empty() ? "" : ",\n \"measured\": [" + measured + "]") + "}";
    return simulate_service(read_serving_scenario(parse_json(text, "x.json"), "x.json"), catalog());
  };
  const ServiceResult before = served("");
  const double busy = before.at_peak.utilisation;
  const ServiceResult first = served(R"({"gpus": 1, "requests": 8, "samples_per_s": 1000, "spread": 0.001})");
  REQUIRE(first.measured.size() == 1);
  const double predicted = first.measured.front().before.value;
  const ServiceResult after = served(fmt::format(
      R"({{"gpus": 1, "requests": 8, "samples_per_s": {:.17g}, "spread": 0.001}})", predicted / 2));
  CHECK(after.at_peak.utilisation > 1.1 * busy);
  CHECK(after.chosen.server->log_sigma() < before.chosen.server->log_sigma());
  CHECK(error_text([&] { (void)served(R"({"time_per_output_token": "1 ms"})"); }).find("token by token") !=
        std::string::npos);
  CHECK(error_text([&] { (void)served(R"({"requests": 9999, "samples_per_s": 1})"); }).find("batches of") !=
        std::string::npos);
}
