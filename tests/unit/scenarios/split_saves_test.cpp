// Who writes the state of a network split over GPUs, and how long it takes: by hand.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "models/data_path/storage.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/question_input.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// Times the state would take over one port of one node, on storage that takes in far more.
double ports(const std::string& split, int nodes, const std::string& precision = "mixed") {
  static const Catalog catalog = Catalog::builtin();
  static Evaluator evaluator{catalog};
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 1000, "bytes_per_sample": "4 kB"}}, "storage": {{"array":
 "ddn_ai400x", "count": 1000}}, "workloads": [{{"model": "gpt2-8.3b", "epochs": 1, "precision": "{}"{}}}],
 "cluster": {{"node": "dgx_a100_640gb", "nodes": {}}}}})",
      precision, split.empty() ? "" : ", \"parallelism\": " + split, nodes);
  const Scenario s = read_scenario(parse_json(text, "x.json"), "x.json");
  const Question q = question(s, s.workloads.front());
  const NodeSpec node = node_spec(catalog, "dgx_a100_640gb");
  StorageFacts facts = storage_facts(catalog, q.storage.array);
  facts.per_client = Bandwidth{0};
  const InputContext context{q, node, facts, evaluator.workload(q.workload)};
  const Duration write = write_back(context, Duration{1e12}, Duration{1}).write;
  return write / (checkpoint_size(context) / node.nic_link->achievable.value);
}

}  // namespace

TEST_CASE("replicas hold the same state: one node writes it") {
  CHECK(ports("", 8) == doctest::Approx(1));
  CHECK(ports(R"({"tensor": 8})", 8) == doctest::Approx(1));  // a copy is one node
}

TEST_CASE("without ZeRO the nodes of one copy write a part each") {
  CHECK(ports(R"({"tensor": 8, "pipeline": 4, "micro_batches": 8})", 8) == doctest::Approx(1.0 / 4));
  // 16 GPUs to a layer are two nodes.
  CHECK(ports(R"({"tensor": 16, "pipeline": 2, "micro_batches": 8})", 8) == doctest::Approx(1.0 / 4));
  // One replica of four stages on one node.
  CHECK(ports(R"({"tensor": 2, "pipeline": 4, "micro_batches": 8})", 1) == doctest::Approx(1));
}

TEST_CASE("what ZeRO shards is written by all nodes, the rest by one copy") {
  // Mixed precision with Adam, 14 bytes: 2 for the forward pass, 12 of master weights and moments.
  CHECK(ports(R"({"tensor": 8, "zero_stage": 1})", 8) == doctest::Approx(2.0 / 14 + 12.0 / 14 / 8));
  CHECK(ports(R"({"tensor": 8, "zero_stage": 2})", 8) == doctest::Approx(2.0 / 14 + 12.0 / 14 / 8));
  CHECK(ports(R"({"tensor": 8, "zero_stage": 3})", 8) == doctest::Approx(1.0 / 8));
  CHECK(ports(R"({"tensor": 8, "pipeline": 4, "micro_batches": 8, "zero_stage": 1})", 8) ==
        doctest::Approx(2.0 / 14 / 4 + 12.0 / 14 / 8));
  // A shard group of two nodes writes for all four of them.
  CHECK(ports(R"({"tensor": 8, "zero_stage": 1, "shard_group": 2})", 8) ==
        doctest::Approx(2.0 / 14 + 12.0 / 14 / 2));
  CHECK(ports(R"({"tensor": 4, "zero_stage": 3, "shard_group": 4})", 8) == doctest::Approx(1.0 / 2));
  // In fp32 the weights themselves, 4 of 12 bytes, are the optimizer's.
  CHECK(ports(R"({"tensor": 8, "zero_stage": 1})", 8, "fp32") == doctest::Approx(4.0 / 12 + 8.0 / 12 / 8));
}
