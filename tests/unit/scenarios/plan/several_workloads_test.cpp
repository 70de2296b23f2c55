// Several workloads in one scenario: one after another or each on its own, and what the whole answer then
// says.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/neighbours.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/sweep/points.hpp"
#include "scenarios/uncertainty/uncertainty.hpp"
#include "sim/base/error.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& known() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// Three networks whose times on one node are 2 to 3 apart; the slowest is in the middle.
constexpr const char* kThree = R"({
  "name": "three",
  "data": {"samples": 20000000, "bytes_per_sample": "0.113 MB"},
  "workloads": [
    {"model": "alexnet", "epochs": 90, "batch_per_gpu": 96, "precision": "mixed"},
    {"model": "inception-v3", "epochs": 40, "batch_per_gpu": 64, "precision": "mixed"},
    {"model": "resnet50", "epochs": 30, "batch_per_gpu": 64, "precision": "mixed"}
  ],
  "cluster": {"node": "dgx1v_16gb"},
  "site": {"prices": {"date": "2018-06-30", "staff": "60000 USD/year"}},
  "goal": {"deadline": "30 days", "max_nodes": 16}
})";

using Sets = std::vector<std::pair<std::string, std::string>>;

Scenario three(const Sets& sets = {}) {
  Json json = parse_json(kThree, "three.json");
  for (const auto& [path, value] : sets) json = json.with(path, parse_json_or_string(value, path));
  return read_scenario(json, "three.json");
}

constexpr std::pair<const char*, const char*> kAlone{"workloads_run", "each-on-its-own"};

/// Time of each workload on so many nodes.
std::vector<double> times_on(int nodes) {
  std::vector<double> out;
  for (const WorkloadResult& w :
       simulate(three({kAlone, {"cluster.nodes", std::to_string(nodes)}}), known()).workloads)
    out.push_back(w.prediction.time_to_train.value);
  return out;
}

double sum(const std::vector<double>& times) {
  double out = 0;
  for (const double t : times) out += t;
  return out;
}

std::string seconds(double s) {
  return fmt::format("{} s", s);
}

std::string text_of(const Result& r) {
  return reports::render_text(reports::load_result(checked_json_text(r), "result"), {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string premise_of(const Result& r) {
  return reports::premise_text(document_of(r));
}

}  // namespace

TEST_CASE("issue 23, item 13: by default the times of all workloads add up before the deadline") {
  const std::vector<double> one = times_on(1);
  const double deadline = 1.02 * std::ranges::max(one);  // enough for each, not for all
  const Result alone = size(three({kAlone, {"goal.deadline", seconds(deadline)}}), known());
  REQUIRE(alone.answer.feasible);
  CHECK(alone.answer.nodes == 1);

  const Result r = size(three({{"goal.deadline", seconds(deadline)}}), known());
  REQUIRE(r.answer.feasible);
  CHECK(r.answer.nodes > 1);
  CHECK(r.prediction.time_to_train.value == doctest::Approx(sum(times_on(r.answer.nodes))));
  CHECK(r.prediction.time_to_train.value <= deadline);
  CHECK(sum(times_on(r.answer.nodes - 1)) > deadline);
  REQUIRE(r.answer.why_not_fewer);
  CHECK(r.answer.why_not_fewer->fails == "deadline");
  CHECK(r.answer.why_not_fewer->time_to_train.value == doctest::Approx(sum(times_on(r.answer.nodes - 1))));
  for (const WorkloadResult& w : r.workloads) CHECK(w.answer.nodes == r.answer.nodes);
  // The planner, the odds and the changes speak of all of them.
  CHECK(r.plan->chosen->nodes == r.answer.nodes);
  CHECK(r.plan->chosen->time_s.value() == doctest::Approx(r.prediction.time_to_train.value));
  CHECK(r.answer.deadline_probability == chance_within(r.prediction.time_to_train, Duration{deadline}));
  const auto twice = std::ranges::find(r.answer.changes, "deadline", &Change::input);
  REQUIRE(twice != r.answer.changes.end());  // half the deadline comes first
  CHECK(sum(times_on(*twice->nodes)) <= deadline / 2);
  CHECK(sum(times_on(*twice->nodes - 1)) > deadline / 2);
}

TEST_CASE("issue 23, item 13: the report states the premise in its first paragraph") {
  const std::string schema{schema_text("result")};
  const Result together = simulate(three(), known());
  CHECK(has(premise_of(together), "run one after another on the same nodes"));
  const std::string text = text_of(together);
  CHECK(text.find("The 3 workloads run one after another") < text.find("Time to train all"));
  CHECK(schema_faults(schema, checked_json_text(together)) == "");

  const Result alone = simulate(three({kAlone}), known());
  CHECK(has(premise_of(alone), "Each workload is on its own"));
  CHECK(has(premise_of(alone), "One after another they would take"));
  CHECK(has(text_of(alone), "Each workload is on its own"));
  CHECK(schema_faults(schema, checked_json_text(alone)) == "");

  const Scenario one = three({{"workloads", R"([{"model": "alexnet", "epochs": 1, "batch_per_gpu": 96}])"}});
  CHECK(premise_of(simulate(one, known())).empty());
}

TEST_CASE("issue 23, item 13: a simulation, a sweep and an uncertainty add the times up too") {
  const Scenario s = three({{"cluster.nodes", "2"}});
  const Result r = simulate(s, known());
  const double all = sum(times_on(2));
  CHECK(r.prediction.time_to_train.value == doctest::Approx(all));
  CHECK(r.prediction.samples_per_s.unit.empty());  // of three networks there is no common rate
  REQUIRE_FALSE(r.sensitivity.empty());
  CHECK(r.sensitivity.front().high.base() < all);
  CHECK(r.sensitivity.front().low.base() > all);

  Evaluator evaluator{known()};
  SweepRow row;
  evaluate_training(s, evaluator, row);
  CHECK(std::get<double>(row.figures[0]) == doctest::Approx(all));
  evaluate_training(three({kAlone, {"cluster.nodes", "2"}}), evaluator, row);
  CHECK(std::get<double>(row.figures[0]) == doctest::Approx(std::ranges::max(times_on(2))));

  const SampledAnswer sure = uncertainty(s, known(), 16);
  CHECK(sure.quantiles[2] / sum(times_on(sure.nodes)) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("issue 23, item 13: parts of the model vary in all workloads of a sum together") {
  // Kernels a factor slower make all three slower by it: the interval of the sum is as wide as the mean of
  // theirs, not narrower as that of independent errors would be.
  const Result r = simulate(three(), known());
  const Estimate& all = r.prediction.time_to_train;
  double low = 0, high = 0;
  for (const WorkloadResult& w : r.workloads) {
    low += w.prediction.time_to_train.low;
    high += w.prediction.time_to_train.high;
  }
  CHECK(all.low == doctest::Approx(low).epsilon(0.02));
  CHECK(all.high == doctest::Approx(high).epsilon(0.02));
}

TEST_CASE(
    "issue 23, item 13: the optimum of workloads that run one after another is that of plain enumeration" *
    doctest::test_suite("long")) {
  const double deadline = 0.45 * sum(times_on(1));
  for (const char* objective : {"lowest-cost", "lowest-energy", "fastest"}) {
    CAPTURE(objective);
    const Sets asked{{"goal.deadline", seconds(deadline)},
                     {"goal.max_nodes", "6"},
                     {"goal.objective", objective},
                     {"search", R"({"batch_per_gpu": [32, 64]})"}};
    const PlanReport p = *size(three(asked), known()).plan;
    double best = INFINITY;
    int nodes_of_best = 0;
    for (int nodes = 1; nodes <= 6; ++nodes) {
      for (int choice = 0; choice < 8; ++choice) {
        Sets sets{{"cluster.nodes", std::to_string(nodes)}};
        for (int w = 0; w < 3; ++w)
          sets.emplace_back(fmt::format("workloads.{}.batch_per_gpu", w), choice >> w & 1 ? "32" : "64");
        const Result r = simulate(three(sets), known());
        double energy = 0;
        for (const auto& run : r.site->power.runs) energy += run.facility.base();
        const double time = r.prediction.time_to_train.value;
        const double worth = objective == std::string{"fastest"}       ? time
                             : objective == std::string{"lowest-cost"} ? r.site->cost->own.over_life(1).base()
                                                                       : energy;
        if (time > deadline || worth >= best * (1 - 1e-9)) continue;
        best = worth;
        nodes_of_best = nodes;
      }
    }
    REQUIRE(p.chosen);
    CHECK(p.chosen->time_s.value() <= deadline);
    CHECK(p.chosen->nodes == nodes_of_best);
    if (objective == std::string{"lowest-energy"}) CHECK(*p.chosen->energy_j == doctest::Approx(best));
    if (objective == std::string{"fastest"}) CHECK(p.chosen->time_s.value() == doctest::Approx(best));
  }
}

TEST_CASE("issue 23, item 13: an unknown premise is refused with the known ones") {
  const std::string text = error_text([] { three({{"workloads_run", "parallel"}}); });
  CHECK(has(text, "parallel"));
  CHECK(has(text, "one-after-another"));
  CHECK(has(text, "each-on-its-own"));
}

TEST_CASE("issue 23, item 1: the box follows the slowest workload, in every objective and in a simulation") {
  for (const char* objective : {"fewest-nodes", "lowest-cost", "lowest-energy", "fastest"}) {
    CAPTURE(objective);
    const Result r = size(three({kAlone, {"goal.objective", objective}}), known());
    REQUIRE(r.answer.feasible);
    const std::vector<double> times = times_on(r.answer.nodes);
    CHECK(r.answer.workload == "inception-v3");
    CHECK(r.prediction.time_to_train.value == doctest::Approx(std::ranges::max(times)));
    CHECK(has(answer_sentence(r), "Inception-v3"));
    for (const WorkloadResult& w : r.workloads)
      if (w.spec.model == "alexnet" && r.answer.binding_constraint == "deadline" &&
          objective != std::string{"fewest-nodes"})
        CHECK(w.answer.binding_constraint.empty());  // it has time to spare on one node fewer
    REQUIRE(r.answer.deadline_probability);
    CHECK(r.answer.deadline_probability == chance_within(r.prediction.time_to_train, Duration{30 * 86400.0}));
  }
  const Result s = simulate(three({kAlone}), known());
  CHECK(s.answer.workload == "inception-v3");
  CHECK(s.prediction.time_to_train.value == doctest::Approx(std::ranges::max(times_on(1))));
}

TEST_CASE(
    "issue 23, item 1: a workload that needs more nodes for its memory does not hide one that takes longer") {
  // ResNet-50 needs the nodes of its deadline; on as many, AlexNet's time is not the box's.
  const Result r =
      size(three({kAlone, {"goal.deadline", seconds(0.6 * std::ranges::max(times_on(1)))}}), known());
  REQUIRE(r.answer.feasible);
  // What would change the answer is asked of all workloads, not of one.
  Evaluator evaluator{known()};
  const Scenario chosen = three({kAlone});
  for (const Change& change : r.answer.changes) {
    if (change.input != "precision" || !change.nodes) continue;
    int most = 0;
    for (Question q : questions(chosen)) {
      q.workload.precision = Precision::fp32;
      most = std::max(most, find_nodes(evaluator, q, r.scenario.goal->deadline, 16).nodes);
    }
    CHECK(*change.nodes == most);
  }
}

TEST_CASE(
    "issue 23, item 1: the chance of a deadline is that of a log-normal time with the interval's ends") {
  // The deadline is the 95 % end of the time, then its 5 % end, then its middle.
  const Estimate time{50, 25, 100, "s"};
  CHECK(*chance_within(time, Duration{100}) == doctest::Approx(0.95).epsilon(1e-3));
  CHECK(*chance_within(time, Duration{25}) == doctest::Approx(0.05).epsilon(1e-3));
  CHECK(*chance_within(time, Duration{50}) == doctest::Approx(0.5));
  CHECK_FALSE(chance_within({50, 50, 50, "s"}, Duration{100}));
}

TEST_CASE("issue 23, item 1: the least probability is that of the plan as a whole") {
  Evaluator evaluator{known()};
  const Scenario s = three({kAlone});
  const std::vector<Question> asked = questions(s);
  const Duration deadline{1.1 * std::ranges::max(times_on(1))};
  double least = 1;
  for (const Question& q : asked)
    least = std::min(least, *chance_within(evaluator.predict(q).time_to_train, deadline));
  CHECK(chance_within(evaluator, asked, deadline, 1) == least);
  CHECK(least < 0.9);
}

TEST_CASE("issue 23, item 1: a box without an answer names the cluster whose figures it shows") {
  for (const char* objective : {"fewest-nodes", "lowest-cost"}) {
    CAPTURE(objective);
    const Result r = size(three({kAlone,
                                 {"goal.objective", objective},
                                 {"goal.deadline", seconds(0.5 * std::ranges::max(times_on(4)))},
                                 {"goal.max_nodes", "4"}}),
                          known());
    REQUIRE_FALSE(r.answer.feasible);
    REQUIRE(r.plan->nearest);
    CHECK(r.answer.nodes == r.plan->nearest->nodes);
    CHECK(r.prediction.time_to_train.value == doctest::Approx(std::ranges::max(times_on(r.answer.nodes))));
    CHECK_FALSE(r.answer.deadline_probability);
    const std::string text = text_of(r);
    CHECK(has(text, "No configuration within the limits"));
    CHECK(has(text, "Nearest"));
    CHECK(has(text, fmt::format("{} × ", r.answer.nodes)));
    CHECK(schema_faults(schema_text("result"), checked_json_text(r)) == "");
  }
}

TEST_CASE(
    "issue 23, item 1: without an answer sentence and figures are of one cluster, within the other limits") {
  for (const bool alone : {false, true}) {
    CAPTURE(alone);
    Sets sets{{"goal.deadline", "1 h"}, {"goal.max_nodes", "5"}};
    if (alone) sets.push_back(kAlone);
    const Result r = size(three(sets), known());
    REQUIRE_FALSE(r.answer.feasible);
    REQUIRE(r.plan->nearest);
    CHECK(r.answer.nodes == 5);  // and not ten, which break the limit on nodes as well
    CHECK(r.plan->nearest->breaks == std::vector<std::string>{"deadline"});
    const std::string said = reports::why_text(r.answer.conflicts.front().why);
    CAPTURE(said);
    CHECK(has(said, "the fastest, 5 nodes, take"));
  }
}

TEST_CASE("issue 23, item 1: where no cluster comes near, the box has no figures") {
  const Result r = size(three({{"workloads.0.batch_per_gpu", "100000"}}), known());
  REQUIRE_FALSE(r.answer.feasible);
  CHECK(r.answer.binding_constraint == "gpu_memory");
  const std::string json = checked_json_text(r);
  CHECK(schema_faults(schema_text("result"), json) == "");
  if (r.plan->nearest) {
    CHECK(r.answer.nodes == r.plan->nearest->nodes);
  } else {
    CHECK(r.prediction.time_to_train.unit.empty());
    CHECK_FALSE(r.site);
    CHECK_FALSE(has(text_of(r), "Time to train all"));
  }
}
