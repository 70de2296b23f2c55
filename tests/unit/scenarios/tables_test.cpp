// Recommenders whose tables are split over the GPUs of a scenario: answers by hand, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "models/data_path/storage.hpp"
#include "models/memory/memory.hpp"
#include "models/split/split_tables.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/run_sentences.hpp"
#include "scenarios/answer/explain.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/question_input.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/trace.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario scenario(const std::string& cluster, const std::string& more = "", const std::string& model = "dlrm",
                  const std::string& goal = "") {
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 4195197692, "bytes_per_sample": "160 B"}},
 "storage": {{"array": "none"}}, "workloads": [{{"model": "{}", "epochs": 1, "batch_per_gpu": 1000,
 "precision": "mixed", "framework": {{"name": "hugectr"}}{}}}], "cluster": {{{}}}{}}})",
      model, more, cluster, goal);
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

Result run(const std::string& cluster, const std::string& more = "", const std::string& model = "dlrm") {
  return simulate(scenario(cluster, more, model), catalog());
}

std::string refusal(const std::string& parallelism, const std::string& more = "") {
  return error_text([&] {
    (void)run(R"("node": "dgx_a100_640gb", "nodes": 1)", ", \"parallelism\": " + parallelism + more);
  });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A network of tables alone, as a file that a scenario names.
std::string tables_file(const std::string& name, const std::string& rows) {
  std::string path = std::string{RACKCAST_PROGRAM} + "_" + name + ".json";
  write_file_atomically(path, R"({"title": "tables", "task": "recommendation", "source": "a test",
 "published": {"source": "a test", "notes": "made up"}, "input": {"ids": 4}, "layers": [
 {"embedding_tables": 128, "rows": )" +
                                  rows + R"(}, {"linear": 1, "then": ["sigmoid"]}]})");
  return path;
}

}  // namespace

TEST_CASE("a recommender fits a node whose GPUs share its tables, and says so where they are copied") {
  const std::string node = R"("node": "dgx_a100_320gb", "nodes": 1)";
  const Result split = run(node);
  CHECK(split.answer.feasible);
  CHECK(split.workloads.front().run.parts.table_exchange > Duration{0});
  CHECK(contains(reports::step_text(document_of(split).workloads.front().step.value()),
                 "exchange of table vectors takes"));
  const Result copied = run(node, R"(, "parallelism": {"tables": "copied"})");
  CHECK_FALSE(copied.answer.feasible);
  CHECK(copied.workloads.front().run.parts.table_exchange == Duration{0});
  CHECK(contains(answer_sentence(copied), "GPU memory"));
  CHECK_FALSE(contains(answer_sentence(copied), "Its tables"));
}

TEST_CASE("what a GPU holds of the tables goes with the GPUs of the job") {
  Evaluator evaluator{catalog()};
  Question q = question(scenario(R"("node": "dgx_a100_320gb", "nodes": 4)"), {});
  q.workload = scenario(R"("node": "dgx_a100_320gb", "nodes": 4)").workloads.front();
  const Workload& dlrm = evaluator.workload(q.workload);
  CHECK(training_memory(dlrm, evaluator.memory(q)).tables == table_memory(dlrm) / 32);
  q.gpus = 4;
  CHECK(training_memory(dlrm, evaluator.memory(q)).tables == table_memory(dlrm) / 4);
}

TEST_CASE("size finds the nodes that hold the tables, and why not fewer") {
  // With Adagrad 209 GB: 26 GB on each of eight GPUs of 16 GB do not fit, 13 GB on each of 16 do.
  const Result r = size(scenario(R"("node": "dgx1v_16gb", "nodes": 1)", "", "dlrm-dcnv2",
                                 R"(, "goal": {"deadline": "30 days", "max_nodes": 64})"),
                        catalog());
  CHECK(r.answer.feasible);
  CHECK(r.answer.nodes == 2);
  CHECK(r.answer.binding_constraint == "gpu_memory");
  REQUIRE(r.answer.why_not_fewer);
  CHECK(r.answer.why_not_fewer->fails == "gpu_memory");
  CHECK(contains(reports::why_text(r.answer.why_not_fewer->why),
                 "Its tables take 209 GB, 26.1 GB on each of 8 GPUs"));
  REQUIRE(r.plan);
  REQUIRE(r.plan->chosen);
  CHECK(r.plan->chosen->nodes == 2);
}

TEST_CASE("size meets the deadline with no fewer nodes than hold the tables") {
  const auto answer = [](const std::string& deadline) {
    return size(scenario(R"("node": "dgx1v_16gb", "nodes": 1)", "", "dlrm-dcnv2",
                         R"(, "goal": {"deadline": ")" + deadline + R"(", "max_nodes": 64})"),
                catalog())
        .answer;
  };
  const Answer quick = answer("15 min");
  CHECK(quick.feasible);
  CHECK(quick.nodes > 2);
  CHECK(quick.binding_constraint == "deadline");
}

TEST_CASE("tables larger than all GPUs: infeasible, with the GPUs that they need") {
  // Eight tables of 5 billion rows of 512 bytes: 20.5 TB.
  const std::string file = tables_file(
      "huge",
      "[5000000000, 5000000000, 5000000000, 5000000000, 5000000000, 5000000000, 5000000000, 5000000000]");
  const Result one = run(R"("node": "dgx_a100_640gb", "nodes": 4)", "", file);
  CHECK_FALSE(one.answer.feasible);
  CHECK(one.answer.binding_constraint == "gpu_memory");
  // 80 GiB less the reserve leave 85.2 GB a GPU.
  CHECK(contains(answer_sentence(one), "20.5 TB"));
  CHECK(contains(answer_sentence(one), "640 GB on each of 32 GPUs; they need at least 241 GPUs"));
  const Result sized = size(scenario(R"("node": "dgx_a100_640gb", "nodes": 1)", "", file,
                                     R"(, "goal": {"deadline": "30 days", "max_nodes": 16})"),
                            catalog());
  CHECK_FALSE(sized.answer.feasible);
  CHECK(contains(answer_sentence(sized), "they need at least 241 GPUs"));
}

TEST_CASE("a checkpoint holds the tables and the state of their optimizer") {
  Evaluator evaluator{catalog()};
  const auto state = [&](const std::string& more) {
    const Scenario s = scenario(R"("node": "dgx_a100_640gb", "nodes": 2)", more);
    Question q = question(s, s.workloads.front());
    q.storage.array = "ddn_ai400x";
    const Workload& dlrm = evaluator.workload(q.workload);
    const NodeSpec node = node_spec(catalog(), "dgx_a100_640gb");
    const StorageFacts facts = storage_facts(catalog(), q.storage.array);
    return save_spec({q, node, facts, dlrm}).state;
  };
  const Workload& dlrm = evaluator.workload(scenario(R"("node": "dgx_a100_640gb")").workloads.front());
  const double large = table_memory(dlrm).base();  // fp32 values alone: SGD keeps nothing
  const double rest = 10 * (dlrm.parameters() - large / 4);
  CHECK(state("").base() == doctest::Approx(large + rest));
  CHECK(state(R"(, "parallelism": {"tables": "copied"})").base() == doctest::Approx(10 * dlrm.parameters()));
}

TEST_CASE("each node writes its own tables and one the rest: over one of its ports, by hand") {
  Evaluator evaluator{catalog()};
  const NodeSpec node = node_spec(catalog(), "dgx_a100_640gb");
  /// Times the state would take over one port of one node; `arrays` of storage.
  const auto ports = [&](int nodes, int gpus, int arrays, const std::string& more = "") {
    const Scenario s = scenario(fmt::format(R"("node": "dgx_a100_640gb", "nodes": {})", nodes), more);
    Question q = question(s, s.workloads.front());
    q.storage.array = "ddn_ai400x";
    q.storage.count = arrays;
    q.gpus = gpus;
    StorageFacts facts = storage_facts(catalog(), q.storage.array);
    facts.per_client = Bandwidth{0};
    const InputContext context{q, node, facts, evaluator.workload(q.workload)};
    const WriteCost cost = write_back(context, Duration{1e12}, Duration{1});
    return cost.write / (checkpoint_size(context) / node.nic_link->achievable.value);
  };
  const Workload& dlrm = evaluator.workload(scenario(R"("node": "dgx_a100_640gb")").workloads.front());
  const double large = table_memory(dlrm).base(), rest = 10 * (dlrm.parameters() - large / 4);
  const double tables = large / (large + rest);
  REQUIRE(tables > 0.9);
  for (const int nodes : {1, 2, 4, 8})
    CHECK(ports(nodes, 8 * nodes, 1000) == doctest::Approx(1 - tables + tables / nodes));
  // Eight of twelve GPUs are in the first node.
  CHECK(ports(2, 12, 1000) == doctest::Approx(1 - tables + tables * 8 / 12));
  // Past what the storage takes in more nodes write no faster.
  const double port = node.nic_link->achievable.value.base();
  const double most = storage_facts(catalog(), "ddn_ai400x").write.base();
  CHECK(ports(64, 512, 1) == doctest::Approx(port / most));
  CHECK(ports(32, 256, 1) == doctest::Approx(port / most));
  // Whole tables on every GPU are on all nodes alike.
  CHECK(ports(4, 32, 1000, R"(, "parallelism": {"tables": "copied"})") == doctest::Approx(1));
}

TEST_CASE("a scenario's checkpoint says how many nodes write it and what the busiest of them does") {
  const auto saved = [](int nodes) {
    const std::string text = fmt::format(
        R"({{"name": "x", "data": {{"samples": 41951976920, "bytes_per_sample": "160 B"}},
 "storage": {{"array": "ddn_ai400x"}}, "input": {{"checkpoint_every": "2 min"}}, "workloads": [{{"model": "dlrm",
 "epochs": 1, "batch_per_gpu": 1000, "precision": "mixed", "framework": {{"name": "hugectr"}}}}],
 "cluster": {{"node": "dgx_a100_640gb", "nodes": {}}}}})",
        nodes);
    return read_scenario(parse_json(text, "x.json"), "x.json");
  };
  const Result r = simulate(saved(2), catalog());
  REQUIRE(r.workloads.front().input);
  const InputReport& input = *r.workloads.front().input;
  CHECK(input.writes.writers == 2);
  CHECK(input.writes.busiest == doctest::Approx(0.5).epsilon(0.01));
  // No node alone: both write less than the whole, and the array takes in all of it.
  const double most = storage_facts(catalog(), "ddn_ai400x").write.base();
  CHECK(input.writes.write.base() >= input.checkpoint.base() / most * 0.999);
  CHECK(contains(explain_step(saved(2), catalog(), "", 3), "of the busiest of 2 nodes"));
  const Result one = simulate(saved(1), catalog());
  CHECK(one.workloads.front().input->writes.writers == 1);
}

TEST_CASE("explain shows the exchange of vectors and the part of the tables") {
  const std::string text =
      explain_step(scenario(R"("node": "dgx_a100_640gb", "nodes": 4)"), catalog(), "", 3);
  CHECK(contains(text, "tables, one of 32 parts"));
  CHECK(contains(text, "exchange of table vectors, 2.82 MB of a GPU each way"));
  CHECK(contains(text, "of it between nodes, 33.8 MB from a node"));
  CHECK(contains(text, "bound by "));
  CHECK(contains(text, "GPUs that the tables need at least"));
  const std::string image =
      explain_step(scenario(R"("node": "dgx_a100_640gb")", "", "resnet50"), catalog(), "", 3);
  CHECK_FALSE(contains(image, "table vectors"));
}

TEST_CASE("a placement of tables that means nothing is refused at its place") {
  CHECK(contains(refusal(R"({"tables": "spread"})"), "unknown placement of tables \"spread\""));
  CHECK(contains(refusal(R"({"tables": 8})"), "a string is expected"));
  CHECK(contains(refusal(R"({"tables": -1})"), "a string is expected"));
  CHECK(contains(refusal(R"({"tables": null})"), "a string is expected"));
  CHECK(contains(refusal(R"({"tables": "split", "tensor": 8})"), "not split together with the layers"));
  const std::string image = error_text([] {
    (void)run(R"("node": "dgx_a100_640gb")", R"(, "parallelism": {"tables": "split"})", "resnet50");
  });
  CHECK(contains(image, "no large embedding tables"));
}

TEST_CASE("tables that cannot be are refused") {
  const auto refused = [](const std::string& name, const std::string& rows) {
    return error_text([&] { (void)run(R"("node": "dgx_a100_640gb")", "", tables_file(name, rows)); });
  };
  CHECK(contains(refused("none", "[]"), "rows"));
  CHECK(contains(refused("negative", "[-5]"), "rows"));
  CHECK(contains(refused("text", "[\"many\"]"), "rows"));
  CHECK(contains(refused("optimizer", R"([1000], "optimizer": "lamb")"), "\"sgd\" or \"adagrad\""));
}

TEST_CASE("the timeline of a step is as long as the step and ends with the exchange of vectors") {
  const Result r = run(R"("node": "dgx_a100_640gb", "nodes": 2)");
  const WorkloadResult& w = r.workloads.front();
  CHECK(w.timeline.length.base() == doctest::Approx(w.run.parts.total.base()).epsilon(1e-6));
  int lanes = 0;
  Duration on_its_row{0};
  for (const StepTimeline::Lane& lane : w.timeline.lanes) {
    if (contains(lane.name, "all-to-all of table vectors"))
      for (const StepTimeline::Span& span : lane.spans) on_its_row += span.length;
    if (lane.spans.empty() || lane.spans.back().name != "exchange of table vectors") continue;
    ++lanes;
    CHECK(lane.spans.back().length.base() ==
          doctest::Approx(w.run.parts.table_exchange.base()).epsilon(1e-4));
  }
  CHECK(on_its_row.base() == doctest::Approx(w.run.parts.table_exchange.base()).epsilon(1e-4));
  CHECK(lanes == 1);
  CHECK(w.ladder.back().what.text("how") == "given");
}

TEST_CASE("a trace has the exchange of vectors on a row of its own, and tracing changes no figure") {
  // Two nodes: each step exchanges inside them, then between them, as the closed form has it.
  const Scenario s = scenario(R"("node": "dgx_a100_640gb", "nodes": 2)");
  Tracer tracer{Clock{TickLength::picosecond}};
  const Result traced = simulate(s, catalog(), &tracer), plain = simulate(s, catalog());
  CHECK(traced.prediction.step_time.value == plain.prediction.step_time.value);
  CHECK(traced.workloads.front().run.warm_up == plain.workloads.front().run.warm_up);
  Evaluator evaluator{catalog()};
  const TableExchange exchange = evaluator.table_exchange(question(s, s.workloads.front()));
  int inside = 0, between = 0;
  SimTime last_end{};
  for (const Tracer::Span& span : tracer.spans()) {
    const Duration length = tracer.clock().duration(span.end) - tracer.clock().duration(span.start);
    if (span.name == "optimizer") last_end = span.end;
    if (span.row != "all-to-all of table vectors") continue;
    const bool first = span.name == "inside nodes";
    ++(first ? inside : between);
    CHECK(length.base() ==
          doctest::Approx((first ? exchange.inside : exchange.between).base()).epsilon(1e-6));
    CHECK(span.start >= last_end);
  }
  CHECK(inside >= 2);
  CHECK(inside == between);
  // Nothing of it where there is one GPU, or where every GPU has the tables whole.
  for (const Scenario& other :
       {scenario(R"("node": "dgx_a100_640gb", "nodes": 1, "gpus_per_job": 1)"),
        scenario(R"("node": "dgx_a100_640gb", "nodes": 1)", R"(, "parallelism": {"tables": "copied"})")}) {
    Tracer without{Clock{TickLength::picosecond}};
    (void)simulate(other, catalog(), &without);
    for (const Tracer::Span& span : without.spans()) CHECK(span.row != "all-to-all of table vectors");
  }
}
