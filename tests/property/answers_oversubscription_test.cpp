// An answer in which a higher oversubscription would be faster says that its static routes collide.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

struct Step {
  double seconds = 0;
  bool collides = false;
};

Step step_of(const Catalog& catalog, const char* node, int nodes, const char* rails, const char* routing,
             double ratio) {
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 1000000, "bytes_per_sample": "2 kB"}}, "storage": {{"array": "none"}},
 "workloads": [{{"model": "bert-large", "epochs": 1, "batch_per_gpu": 1, "precision": "mixed",
                "framework": {{"name": "pytorch"}}}}],
 "cluster": {{"node": "{}", "nodes": {}, "fabric": {{"oversubscription": {}, "rails": "{}", "routing": "{}"}}}}}})",
      node, nodes, ratio, rails, routing);
  const Result answer = simulate(read_scenario(parse_json(text, "x.json"), "x.json"), catalog, nullptr, {});
  return {answer.workloads.front().run.parts.total.base(),
          std::ranges::count(answer.warnings, "collisions", &doc::Reason::code) > 0};
}

}  // namespace

TEST_CASE(
    "issue 23, item 10: where a higher oversubscription is faster, the answer says that routes collide") {
  const Catalog catalog = Catalog::builtin();
  int faster = 0;
  for (const char* node : {"dgx1v_16gb", "dgx_a100_640gb"}) {
    for (const char* rails : {"by_node", "by_rail"}) {
      for (const char* routing : {"dmodk", "ecmp", "adaptive"}) {
        for (const int nodes : {24, 96}) {
          Step slowest;
          for (const double ratio : {1.0, 2.0, 4.0, 6.0, 8.0}) {
            const Step step = step_of(catalog, node, nodes, rails, routing, ratio);
            CAPTURE(node);
            CAPTURE(rails);
            CAPTURE(routing);
            CAPTURE(nodes);
            CAPTURE(ratio);
            const double allowed = routing == std::string{"adaptive"} ? 1e-9 : 0.01;
            const bool saves = step.seconds < slowest.seconds * (1 - allowed);
            faster += saves;
            if (saves) CHECK(slowest.collides);
            if (routing == std::string{"adaptive"}) {
              CHECK_FALSE(saves);
              CHECK_FALSE(step.collides);
            }
            if (step.seconds > slowest.seconds) slowest = step;
          }
        }
      }
    }
  }
  CHECK(faster > 0);  // else the fabrics of this test do not collide, and it tests nothing
}
