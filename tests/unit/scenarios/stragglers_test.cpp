#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/run_control.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Scenario with(const std::string& stragglers, int samples = 2000) {
  return read_scenario(parse_json(R"({"name": "n", "data": {"bytes_per_sample": "110 kB", "samples": )" +
                                      std::to_string(samples) + R"(},
  "workloads": [{"model": "resnet50", "epochs": 90, "batch_per_gpu": 32}],
  "cluster": {"node": "dgx1v_16gb", "nodes": 4)" +
                                      (stragglers.empty() ? "" : ", \"stragglers\": " + stragglers) + "}}",
                                  "slow.json"),
                       "slow.json");
}

Result run(const std::string& stragglers, int samples = 2000, bool fold = true) {
  static const Catalog catalog = Catalog::builtin();
  RunControl control;
  control.fold = fold;
  return simulate(with(stragglers, samples), catalog, nullptr, control);
}

double seconds(const Result& result) {
  return result.prediction.time_to_train.value;
}

}  // namespace

TEST_CASE("one slow GPU node sets the pace of all, and the answer says so") {
  const Result even = run(""), slow = run(R"([{"compute": 0.8}])");
  const StepParts &a = even.workloads.front().run.parts, &b = slow.workloads.front().run.parts;
  // All that computes takes 1/0.8 of the time on the slow node; the first GPU waits for that.
  CHECK(b.forward == a.forward);
  const double kernels = (a.forward + a.backward + a.optimizer).base();
  CHECK(b.straggler_wait.base() == doctest::Approx(0.25 * kernels).epsilon(0.1));
  CHECK(slow.answer.binding_constraint == "GPU compute of the stragglers");
  CHECK(slow.answer.changes.front().input == "cluster.stragglers");
  CHECK(checked_json_text(slow).find("waiting for stragglers") != std::string::npos);
  CHECK(checked_json_text(even).find("stragglers") == std::string::npos);
}

TEST_CASE("a slow network port slows the all-reduce of everybody") {
  const Result even = run(""), slow = run(R"([{"network": 0.02}])");
  CHECK(seconds(slow) > 1.2 * seconds(even));
  CHECK(slow.answer.binding_constraint == "all-reduce over InfiniBand of the stragglers");
  CHECK(slow.workloads.front().run.parts.straggler_wait == Duration{0});
}

TEST_CASE("slow nodes of the last epochs cost only those") {
  const int many = 128'000;  // 125 steps an epoch, so that rounding up to whole steps hides nothing
  const double even = seconds(run("", many)), always = seconds(run(R"([{"compute": 0.5}])", many));
  const double ninth = seconds(run(R"([{"compute": 0.5, "epochs": 10}])", many));
  CHECK(ninth - even == doctest::Approx((always - even) / 9).epsilon(0.01));
  const char* twice = R"([{"compute": 0.5, "epochs": 10}, {"compute": 0.5, "nodes": 2, "epochs": 10}])";
  CHECK(seconds(run(twice, many)) == doctest::Approx(ninth).epsilon(1e-9));
}

TEST_CASE("folded and unfolded runs agree where nodes are slow") {
  const std::string groups = R"([{"compute": 0.8, "network": 0.5, "nodes": 2}, {"network": 0.3}])";
  CHECK(seconds(run(groups, 2000, false)) == doctest::Approx(seconds(run(groups))).epsilon(1e-9));
}

TEST_CASE("stragglers that cannot be are errors at their place") {
  for (const char* wrong :
       {"[]", "{}", "3", R"([{"nodes": 5, "compute": 0.5}])", R"([{"compute": 1.5}])", R"([{"compute": 0}])",
        R"([{"nodes": 1}])", R"([{"network": -1}])", R"([{"network": 1e-9}])", R"([{"nodes": 0}])",
        R"([{"compute": 0.5, "nodes": 1e99}])", R"([{"compute": "fast"}])", R"([{"speed": 0.5}])",
        R"([{"compute": 0.5, "epochs": 0}])",
        R"([{"compute": 0.5, "nodes": 3}, {"compute": 0.5, "nodes": 2}])"}) {
    CAPTURE(wrong);
    bool refused = false;
    try {
      with(wrong);
    } catch (const Error& e) {
      refused = true;
      CHECK(e.where().line > 0);
    }
    CHECK(refused);
  }
}
