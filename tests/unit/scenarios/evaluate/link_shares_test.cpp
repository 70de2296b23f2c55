// How full links are in a step of a scenario.
#include "models/step/link_shares.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& hardware() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// On two nodes, 140 GB from a server with 10 Gbit/s.
Question two_nodes(const std::string& input, const std::string& workload = "") {
  const std::string text = R"({"name": "m", "data": {"samples": 1281167, "bytes_per_sample": "110 kB"},
  "storage": {"array": "nfs_10gbe"}, "input": )" +
                           input +
                           R"(, "workloads": [{"model": "resnet50", "epochs": 30, "batch_per_gpu": 64)" +
                           workload + R"(}], "cluster": {"node": "dgx1v_16gb", "nodes": 2}})";
  const Scenario s = read_scenario(parse_json(text, "m.json"), "m.json");
  return question(s, s.workloads.front());
}

/// Seconds of a step for which the links of this place are full.
double full(Evaluator& evaluator, const Question& q, DeviceKind from, DeviceKind to) {
  for (const LinkShare& share : evaluator.link_shares(q))
    if (share.place.from == from && share.place.to == to)
      return share.mean * evaluator.run(q).parts.total.base();
  return 0;
}

}  // namespace

TEST_CASE("links from the storage carry what caches miss in the epochs that take longest") {
  Evaluator evaluator{hardware()};
  const Question uncached = two_nodes(R"({"page_cache": false})"), cached = two_nodes("{}");
  const double all = full(evaluator, uncached, DeviceKind::storage, DeviceKind::leaf),
               missed = full(evaluator, cached, DeviceKind::storage, DeviceKind::leaf);
  REQUIRE(all > 0);
  const auto input = evaluator.input(cached);
  REQUIRE(input);
  CHECK(missed / all == doctest::Approx(input->phases.back().phase.hits.storage).epsilon(1e-6));
  CHECK(missed / all < 0.5);
  // Gradients do not know caches.
  CHECK(full(evaluator, cached, DeviceKind::nic, DeviceKind::leaf) ==
        doctest::Approx(full(evaluator, uncached, DeviceKind::nic, DeviceKind::leaf)));
}

TEST_CASE("weights that are sent in every tenth step fill links a tenth as long") {
  Evaluator evaluator{hardware()};
  const Question every = two_nodes(R"({"page_cache": false})"),
                 tenth = two_nodes(R"({"page_cache": false})",
                                   R"(, "exchange": {"strategy": "local_sgd", "local_steps": 10})");
  CHECK(full(evaluator, tenth, DeviceKind::nic, DeviceKind::leaf) ==
        doctest::Approx(full(evaluator, every, DeviceKind::nic, DeviceKind::leaf) / 10).epsilon(0.02));
}

TEST_CASE("a network that is split over GPUs has no such shares") {
  Evaluator evaluator{hardware()};
  const std::string text = R"({"name": "m", "data": {"samples": 1000000},
  "workloads": [{"model": "llama3-8b", "epochs": 1, "parallelism": {"tensor": 8}, "precision": "bf16"}],
  "cluster": {"node": "dgx_h100", "nodes": 2}})";
  const Scenario s = read_scenario(parse_json(text, "m.json"), "m.json");
  CHECK(evaluator.link_shares(question(s, s.workloads.front())).empty());
}
