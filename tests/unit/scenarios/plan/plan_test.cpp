// The planner: objectives against plain enumeration, limits that bind, conflicts that are minimal, input that
// cannot be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/plan/pareto.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/scenarios/plan/small_question.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

bool conflicts(const PlanReport& p, std::string_view limit) {
  return std::ranges::count(p.conflict_set, limit, &doc::Plan::Conflict::limit) > 0;
}

PlanReport plan(const std::vector<std::pair<std::string, std::string>>& sets = {}) {
  return size(small(sets), catalog()).plan.value();
}

struct Enumerated {
  std::string node;
  int nodes = 0, gpus = 0;
  double time = 0, energy = 0, total = 0;
};

/// Every cluster of the small question that is in time, with every choice of batches, by `simulate` alone.
std::vector<Enumerated> enumerate(double deadline) {
  std::vector<Enumerated> out;
  for (const std::string node : {"dgx1v_16gb", "dgx2", "dgx1_p100"}) {
    for (int n = 1; n <= 6; ++n) {
      for (const int first : {32, 64}) {
        for (const int second : {32, 64}) {
          const Result r = simulate(small({{"cluster.node", node},
                                           {"cluster.nodes", std::to_string(n)},
                                           {"workloads.0.batch_per_gpu", std::to_string(first)},
                                           {"workloads.1.batch_per_gpu", std::to_string(second)}}),
                                    catalog());
          Enumerated e{node, n, r.workloads[0].run.ranks, 0, 0, 0};
          for (const WorkloadResult& w : r.workloads)
            e.time = std::max(e.time, w.prediction.time_to_train.value);
          for (const auto& run : r.site->power.runs) e.energy += run.facility.base();
          e.total = r.site->cost->own.over_life(1).base();
          if (e.time <= deadline) out.push_back(e);
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("each objective's optimum is that of plain enumeration" * doctest::test_suite("long")) {
  const double deadline = 5 * 86400;
  const auto all = enumerate(deadline);
  REQUIRE(all.size() > 5);
  const auto fewest = std::ranges::min_element(all, {}, [](const Enumerated& e) {
    return std::tuple{e.nodes, e.gpus, e.time};
  });
  const PlanReport by_nodes = plan();
  CHECK(by_nodes.chosen->node == fewest->node);
  CHECK(by_nodes.chosen->nodes == fewest->nodes);
  CHECK(by_nodes.chosen->time_s.value() == doctest::Approx(fewest->time));

  const auto fastest = std::ranges::min_element(all, {}, &Enumerated::time);
  const PlanReport by_time = plan({{"goal.objective", "fastest"}});
  CHECK(by_time.chosen->node == fastest->node);
  CHECK(by_time.chosen->nodes == fastest->nodes);

  const auto cheapest = std::ranges::min_element(all, {}, &Enumerated::total);
  const PlanReport by_cost = plan({{"goal.objective", "lowest-cost"}});
  CHECK(by_cost.chosen->node == cheapest->node);
  CHECK(by_cost.chosen->nodes == cheapest->nodes);

  const auto least = std::ranges::min_element(all, {}, &Enumerated::energy);
  const PlanReport by_energy = plan({{"goal.objective", "lowest-energy"}});
  CHECK(by_energy.chosen->node == least->node);
  CHECK(by_energy.chosen->nodes == least->nodes);
  CHECK(by_energy.chosen->energy_j.value() == doctest::Approx(least->energy));
}

TEST_CASE("without a search the planner's answer is that of the search for nodes") {
  for (const std::string name : {"fleet_very_conservative", "power_limited_site", "storage_bound_site"}) {
    CAPTURE(name);
    const Result r =
        size(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/" + name + ".json"), catalog());
    REQUIRE(r.plan.has_value());
    CHECK(r.plan->chosen.has_value() == r.answer.feasible);
    if (r.plan->chosen) CHECK(r.plan->chosen->nodes == r.answer.nodes);
    CHECK(r.plan->conflict_set.empty() == r.answer.feasible);
  }
}

TEST_CASE("one step smaller fails, and the answer says on which limit") {
  const PlanReport p = plan();
  REQUIRE(p.smaller.has_value());
  CHECK(p.smaller->nodes == p.chosen->nodes - 1);
  CHECK(p.smaller->breaks == std::vector<std::string>{"deadline"});
  CHECK(*p.smaller->time_s > 5 * 86400.0);
  CHECK(p.chosen->breaks.empty());
}

TEST_CASE("no point of the front is better than another, and every option has its best on or behind it") {
  const PlanReport p = plan();
  REQUIRE(p.front.size() > 3);
  const auto dimensions = [](const doc::PlanCandidate& c) {
    return std::vector<double>{static_cast<double>(c.nodes), static_cast<double>(c.gpus), *c.time_s,
                               *c.total_usd, *c.energy_j};
  };
  for (const doc::PlanCandidate& a : p.front)
    for (const doc::PlanCandidate& b : p.front) CHECK_FALSE(dominates(dimensions(a), dimensions(b)));
  REQUIRE(p.options.size() == 3);
  for (const doc::Plan::Option& option : p.options) {
    if (!option.best) continue;
    CHECK(std::ranges::any_of(p.front, [&](const doc::PlanCandidate& c) {
      return dimensions(c) == dimensions(*option.best) || dominates(dimensions(c), dimensions(*option.best));
    }));
  }
}

TEST_CASE(
    "the front's times have the interval of a prediction at its ends and the choice, one like it between") {
  const Result r = size(small({{"search.node", R"(["dgx1v_16gb"])"}, {"goal.max_nodes", "12"}}), catalog());
  const auto& front = r.plan->front;
  REQUIRE(front.size() > 4);
  Evaluator evaluator{catalog()};
  for (std::size_t i = 0; i < front.size(); ++i) {
    const doc::PlanCandidate& c = front[i];
    REQUIRE((c.time_low_s && c.time_high_s));
    const Estimate exact = evaluator.predict(*r.plan->slowest[i]).time_to_train;
    CHECK(exact.value == doctest::Approx(*c.time_s));
    const bool end =
        c.gpus == front.front().gpus || c.gpus == front.back().gpus || c.gpus == r.plan->chosen->gpus;
    CHECK(*c.time_low_s == doctest::Approx(exact.low).epsilon(end ? 1e-9 : 0.03));
    CHECK(*c.time_high_s == doctest::Approx(exact.high).epsilon(end ? 1e-9 : 0.03));
  }
}

TEST_CASE("a tenth more of a deadline is worth what the answer with that deadline says") {
  const PlanReport p = plan();
  const PlanReport later = plan({{"goal.deadline", "5.5 days"}});
  const auto row = std::ranges::find(p.relaxations, "deadline", &doc::Plan::Relaxation::limit);
  REQUIRE(row != p.relaxations.end());
  CHECK(row->binds);
  REQUIRE(row->answer.has_value());
  CHECK(row->answer->nodes == later.chosen->nodes);
  CHECK(*row->answer->total_usd == doctest::Approx(*later.chosen->total_usd));
}

TEST_CASE("limits of money, room and power bind, and each is named") {
  // One DGX-1V lists at about 149,000 USD: 200,000 buy one, which takes far longer than five days.
  const PlanReport money = plan({{"site.prices.budget", "200000 USD"}, {"search.node", "[\"dgx1v_16gb\"]"}});
  CHECK_FALSE(money.chosen.has_value());
  REQUIRE(money.conflict_set.size() == 2);
  CHECK((conflicts(money, "deadline") && conflicts(money, "budget")));
  CHECK((money.conflict_set[0].alone && money.conflict_set[1].alone));
  struct Tight {
    std::string path, value;
    Limit limit;
  };
  for (const Tight& tight : {Tight{"site.prices.opex_budget", "1000 USD/year", Limit::opex_budget},
                             Tight{"site.prices.total_budget", "200000 USD", Limit::total_budget},
                             Tight{"site.racks.max_units", "4", Limit::rack_units},
                             Tight{"site.power.feed", "4 kW", Limit::site_power}}) {
    CAPTURE(tight.path);
    const PlanReport p = plan({{tight.path, tight.value}});
    CHECK_FALSE(p.chosen.has_value());
    CHECK(conflicts(p, to_string(tight.limit)));
  }
}

TEST_CASE("dropping any member of the conflict lets the others be kept") {
  const std::vector<std::pair<std::string, std::string>> tight{
      {"site.prices.budget", "200000 USD"}, {"site.racks.max_units", "20"}, {"site.power.feed", "6 kW"}};
  const PlanReport p = plan(tight);
  REQUIRE_FALSE(p.chosen.has_value());
  REQUIRE(p.conflict_set.size() >= 2);
  const auto keeps = [&](const std::vector<std::string>& limits) {
    // Only these limits; the others far away.
    std::vector<std::pair<std::string, std::string>> sets{{"goal.deadline", "5 days"},
                                                          {"site.prices.budget", "1 billion USD"},
                                                          {"site.racks.max_units", "10000"},
                                                          {"site.power.feed", "100 MW"},
                                                          {"goal.deadline", "900 years"}};
    for (const std::string& l : limits) {
      if (l == "deadline") sets.emplace_back("goal.deadline", "5 days");
      if (l == "budget") sets.push_back(tight[0]);
      if (l == "rack_units") sets.push_back(tight[1]);
      if (l == "site_power") sets.push_back(tight[2]);
    }
    return plan(sets).chosen.has_value();
  };
  std::vector<std::string> all;
  for (const doc::Plan::Conflict& c : p.conflict_set) all.push_back(c.limit);
  CHECK_FALSE(keeps(all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    CAPTURE(all[i]);
    CHECK(keeps(others));
  }
}

TEST_CASE("batches beyond the useful one, and failures that cost too much, are limits") {
  // 8 GPUs x 32 samples are the least that a DGX-1V can do: a critical batch of 100 has no answer.
  const PlanReport batch = plan({{"workloads.0.critical_batch", "100"}});
  CHECK_FALSE(batch.chosen.has_value());
  CHECK(batch.conflict_set.front().limit == to_string(Limit::useful_batch));
  const PlanReport up = plan(
      {{"failures", R"({"node_mtbf": "10 h", "checkpoint_stall": "60 s"})"}, {"goal.availability", "0.999"}});
  CHECK_FALSE(up.chosen.has_value());
  CHECK(conflicts(up, "availability"));
}

TEST_CASE("nodes for 90 % confidence are those whose time with that margin is within the deadline") {
  const Result r = size(small({{"search.node", "[\"dgx1v_16gb\"]"}, {"goal.max_nodes", "64"}}), catalog());
  const WorkloadResult& w = r.workloads[1];
  const Change& row = w.answer.changes.back();
  CHECK(row.input == "confidence in the deadline");
  REQUIRE(row.nodes.has_value());
  CHECK(*row.nodes >= w.answer.nodes);
  // ln T is normal with the interval's upper end at 1.645 standard deviations: 90 % lie below 1.2816.
  const auto with = [&](int nodes) {
    const Result at = simulate(small({{"cluster.nodes", std::to_string(nodes)}}), catalog());
    const Estimate t = at.workloads[1].prediction.time_to_train;
    return t.value * std::exp(1.2816 / 1.645 * std::log(t.high / t.value));
  };
  CHECK(with(*row.nodes) <= 5 * 86400);
  CHECK(with(*row.nodes - 1) > 5 * 86400);
}

TEST_CASE("a network that cannot be built is a design that fails, with its reason") {
  // A port of a switch for each port of a node: 36 ports are soon too few.
  const PlanReport p = plan({{"search.node", "[\"dgx1v_16gb\"]"},
                             {"goal.max_nodes", "24"},
                             {"goal.deadline", "1 day"},
                             {"search.fabric", R"([{"kind": "single_switch"}, {"kind": "two_level"}])"}});
  REQUIRE(p.options.size() == 2);
  CHECK(p.options[0].conflict == std::vector<std::string>{"configuration", "deadline"});
  REQUIRE(p.refused.size() == 1);
  CHECK(contains(p.refused[0], "single_switch"));
  REQUIRE(p.chosen.has_value());
  CHECK(p.chosen->network == "two_level");
}

TEST_CASE("issue 23, item 37: designs that cannot be built at any size are no conflict") {
  // Neither of the listed sizes fits 36 ports; on two levels both can be built and miss the deadline.
  const std::vector<std::pair<std::string, std::string>> sets{
      {"search.node", "[\"dgx1v_16gb\"]"}, {"search.nodes", "[20, 24]"}, {"goal.deadline", "1 min"}};
  const auto with = [&](const char* fabrics) {
    auto all = sets;
    all.emplace_back("search.fabric", fabrics);
    return plan(all);
  };
  const PlanReport p = with(R"([{"kind": "single_switch"}, {"kind": "two_level"}])");
  REQUIRE(p.options.size() == 2);
  CHECK(p.options[0].conflict == std::vector<std::string>{"configuration"});
  CHECK(p.options[1].conflict == std::vector<std::string>{"deadline"});
  REQUIRE(p.conflict_set.size() == 1);
  CHECK(p.conflict_set.front().limit == to_string(Limit::deadline));
  CHECK(p.nearest.value().network == "two_level");
  // Where no other design is left, what cannot be built is an error with its reason.
  CHECK(contains(error_text([&] { (void)with(R"([{"kind": "single_switch"}])"); }),
                 "36 ports, and 80 are needed"));
}

TEST_CASE("sizes may be listed, as nodes or as the GPUs of a job") {
  const PlanReport listed = plan({{"search.nodes", "[2, 4, 8]"}});
  for (const doc::PlanCandidate& c : listed.front) CHECK((c.nodes == 2 || c.nodes == 4 || c.nodes == 8));
  const Result jobs =
      size(small({{"search.gpus_per_job", R"({"from": 4, "to": 64, "step": 4})"}}), catalog());
  REQUIRE(jobs.plan->chosen.has_value());
  const doc::PlanCandidate& c = *jobs.plan->chosen;
  CHECK(c.gpus % 4 == 0);
  CHECK(jobs.answer.gpus == c.gpus);
  CHECK(jobs.answer.nodes == c.nodes);
}

TEST_CASE("the same search gives the same document, and the document is valid") {
  const Result once = size(small(), catalog()), again = size(small(), catalog());
  CHECK(checked_json_text(once) == checked_json_text(again));
  CHECK(schema_faults(schema_text("result"), checked_json_text(once)) == "");
  CHECK(schema_faults(schema_text("scenario"), kSmall) == "");
  const Result none = size(small({{"goal.deadline", "1 min"}}), catalog());
  CHECK_FALSE(none.answer.feasible);
  CHECK(schema_faults(schema_text("result"), checked_json_text(none)) == "");
}

TEST_CASE("any number of threads gives the same document") {
  for (const auto& [path, value] :
       std::vector<std::pair<std::string, std::string>>{{"goal.objective", "lowest-cost"},
                                                        {"search", "{}"},
                                                        {"goal.deadline", "1 min"},
                                                        {"goal.alternatives", R"(["dgx2", "dgx1_p100"])"}}) {
    const std::string varied{path};
    CAPTURE(varied);
    const std::string once = checked_json_text(size(small({{path, value}}), catalog()));
    for (const int threads : {2, 3, 8}) {
      CAPTURE(threads);
      RunControl control;
      control.threads = threads;
      CHECK(checked_json_text(size(small({{path, value}}), catalog(), control)) == once);
    }
  }
}

TEST_CASE("interrupted at two threads, a search keeps what either has found") {
  std::atomic<int> asked = 0;
  RunControl control;
  control.threads = 2;
  int most = std::numeric_limits<int>::max();
  control.cancelled = [&] {
    return ++asked > most;
  };
  REQUIRE_FALSE(size(small(), catalog(), control).partial);
  const int all = asked;
  bool kept = false;
  for (int tenths = 9; tenths > 0 && !kept; --tenths) {  // until the limit falls into the search itself
    most = all * tenths / 10;
    asked = 0;
    const Result r = size(small(), catalog(), control);
    CHECK(r.partial);
    if (!r.plan->partial) continue;
    REQUIRE(r.plan->chosen.has_value());
    CHECK(answer_sentence(r).find("Not finished") != std::string::npos);
    CHECK(schema_faults(schema_text("result"), checked_json_text(r)) == "");
    kept = true;
  }
  CHECK(kept);
}

TEST_CASE("a search for speed ends where three sizes in a row are no better, and not before") {
  // One storage server: time falls until it is saturated, and not after. 400 sizes, so that not all are
  // simulated: 1, 2, 3, 4, 6, 8, 12, 16, ... nodes.
  const auto asked = [](const char* storage, const char* objective) {
    return small(
        {{"search", "{}"}, {"goal.max_nodes", "400"}, {"goal.objective", objective}, {"storage", storage}});
  };
  const Scenario saturated = asked(R"({"array": "dgx_pod_storage_server", "count": 1})", "fastest");
  Evaluator evaluator{catalog()};
  const auto time = [&](int nodes) {
    double slowest = 0;
    for (const WorkloadSpec& w : saturated.workloads) {
      Question q = question(saturated, w);
      q.cluster.nodes = nodes;
      slowest = std::max(slowest, evaluator.time_to_train(q).base());
    }
    return slowest;
  };
  double best = INFINITY;
  int in_a_row = 0, last = 0;
  for (const int nodes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 400}) {
    last = nodes;
    const double here = time(nodes);
    in_a_row = here < best * 0.995 ? 0 : in_a_row + 1;
    best = std::min(best, here);
    if (in_a_row == 3) break;
  }
  REQUIRE(in_a_row == 3);
  CHECK(last < 400);
  const PlanReport ended = size(saturated, catalog()).plan.value();
  CHECK(ended.judged == static_cast<std::size_t>(last));
  REQUIRE(ended.chosen.has_value());
  CHECK(ended.chosen->time_s.value() <= best);
  CHECK(time(400) > ended.chosen->time_s.value() * 0.995);  // nothing was missed
  // Without storage each size is faster than the last: all are judged, and the largest is the answer.
  const PlanReport whole = size(asked(R"({"array": "none"})", "fastest"), catalog()).plan.value();
  CHECK(whole.judged == 400);
  REQUIRE(whole.chosen.has_value());
  CHECK(whole.chosen->nodes == 400);
}

TEST_CASE("an interrupted search keeps what it has found and says that it is not all") {
  int asked = 0;
  RunControl control;
  control.cancelled = [&asked] {
    return ++asked > 40;
  };
  const Result r = size(small(), catalog(), control);
  CHECK(r.partial);
  REQUIRE(r.plan->partial);
  REQUIRE(r.plan->chosen.has_value());
  CHECK(r.answer.feasible);
  CHECK(r.answer.nodes == r.plan->chosen->nodes);
  CHECK(answer_sentence(r).find("Not finished") != std::string::npos);
  CHECK(schema_faults(schema_text("result"), checked_json_text(r)) == "");
  control.cancelled = [] {
    return true;
  };
  const Result nothing = size(small(), catalog(), control);
  CHECK(nothing.partial);
  CHECK_FALSE(nothing.answer.feasible);
}
