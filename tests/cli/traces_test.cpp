// Recorded steps and exported ones on the command line.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/json/reader.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string source = RACKCAST_SOURCE_DIR;

/// A scenario on DGX A100 with these members of its workload.
std::string traced(const std::string& workload, const std::string& cluster = "\"nodes\": 1") {
  return R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "3 kB"},
 "workloads": [{"model": "resnet50", "epochs": 1, "precision": "mixed", )" +
         workload + R"(}], "cluster": {"node": "dgx_a100_640gb", )" + cluster + "}}";
}

std::string kineto_graph(const std::string& more = "") {
  return "\"batch_per_gpu\": 64, \"graph\": {\"kineto\": \"" + source +
         "/tests/data/traces/kineto_two_gpus.json\", \"recorded_on\": \"a100_sxm4_80gb\"" + more + "}";
}

double step_of(const std::string& scenario) {
  const Outcome outcome = run("simulate --json " + scenario);
  INFO(outcome.output);
  REQUIRE(outcome.code == 0);
  return parse_json(outcome.output, "result")
      .require("prediction")
      .require("step_time_s")
      .require("value")
      .number();
}

}  // namespace

TEST_CASE("the exported step of a training, replayed on its own cluster, takes as long as the model says") {
  const TemporaryFolder folder;
  const std::string workload = R"("batch_per_gpu": 128, "framework": {"name": "pytorch"})";
  for (const char* cluster : {R"("nodes": 1, "gpus_per_job": 1)", R"("nodes": 4)"}) {
    const std::string modelled = folder / "modelled.json", replayed = folder / "replayed.json";
    write_file_atomically(modelled, traced(workload, cluster));
    const Outcome exported = run("export chakra " + modelled + " -o " + folder / "out");
    INFO(exported.output);
    CHECK(exported.code == 0);
    write_file_atomically(
        replayed,
        traced(workload + R"(, "graph": {"chakra": "out/et.*.et", "recorded_on": "a100_sxm4_80gb"})",
               cluster));
    // The exchange takes multiprocessors from the kernels in the model, not in the record.
    CHECK(step_of(replayed) == doctest::Approx(step_of(modelled)).epsilon(0.01));
  }
}

TEST_CASE("the exported step of a pipeline, replayed on its own cluster, takes as long as the model says") {
  const TemporaryFolder folder;
  const std::string modelled = folder / "modelled.json", replayed = folder / "replayed.json";
  const std::string workload =
      R"("parallelism": {"tensor": 4, "pipeline": 4, "micro_batch": 1, "micro_batches": 16})";
  const auto scenario = [&](const std::string& more) {
    std::string text = traced(workload + more, R"("nodes": 4)");
    text.replace(text.find("resnet50"), 8, "gpt3-13b");
    text.replace(text.find("mixed"), 5, "bf16");
    return text;
  };
  write_file_atomically(modelled, scenario(""));
  const Outcome exported = run("export chakra " + modelled + " -o " + folder / "out");
  INFO(exported.output);
  CHECK(exported.code == 0);
  CHECK(has(exported, "Each file stands for 8 ranks."));
  CHECK(std::filesystem::exists(folder / "out/et.24.et"));
  write_file_atomically(replayed,
                        scenario(R"(, "graph": {"chakra": "out/et.*.et", "recorded_on": "a100_sxm4_80gb"})"));
  // In the model the host has a pace of its own for the sums of activations.
  CHECK(step_of(replayed) == doctest::Approx(step_of(modelled)).epsilon(0.03));
}

TEST_CASE("a recorded step answers how many nodes, and says what it rests on") {
  const TemporaryFolder folder;
  const std::string scenario = folder / "scenario.json";
  std::string text = traced(kineto_graph());
  text.insert(text.size() - 1, R"(, "goal": {"deadline": "10 s"})");
  write_file_atomically(scenario, text);
  const Outcome answer = run("size " + scenario + " -o " + folder / "answer.md");
  INFO(answer.output);
  CHECK(answer.code == 0);
  const std::string page = read_file(folder / "answer.md");
  CHECK(page.find("the recorded step") != std::string::npos);
  CHECK(page.find("recorded on a100\\_sxm4\\_80gb") != std::string::npos);
  CHECK(run("check " + scenario).code == 0);
  CHECK(run("simulate " + scenario + " --timeline " + folder / "step.svg").code == 0);
}

TEST_CASE("what a recorded step cannot be asked is refused with its place") {
  const TemporaryFolder folder;
  const std::string file = folder / "scenario.json";
  const auto refused = [&](const std::string& text, const char* part, const char* command = "simulate ") {
    write_file_atomically(file, text);
    const Outcome outcome = run(command + file);
    INFO(outcome.output);
    CHECK(outcome.code == 3);
    CHECK(has(outcome, part));
  };
  const std::string graph = kineto_graph();
  refused(traced("\"batch_per_gpu\": 64, \"graph\": {}"), "of one format");
  refused(traced("\"batch_per_gpu\": 64, \"graph\": {\"kineto\": \"none*.json\", \"recorded_on\": \"v100\"}"),
          "no file is called");
  refused(traced(graph.substr(graph.find("\"graph\""))), "does not say how many samples");
  refused(traced("\"global_batch\": 512, " + graph), "the batch that it has");
  refused(traced("\"recompute\": true, " + graph), "a recorded step has no \"recompute\"");
  refused(traced(kineto_graph(", \"groups\": {\"0\": [-1]}")), "ranks count from 0");
  refused(traced(kineto_graph(", \"group\": {}")), "unknown key \"group\"");
  std::string text = traced(graph);
  text.replace(text.find("a100_sxm4_80gb"), 14, "a100_sxm9_80gb");
  refused(text, "a100_sxm9_80gb");
  refused(traced(graph, R"("nodes": 2, "stragglers": [{"compute": 0.5}])"), "no model");
  refused(traced(graph), "is recorded", "explain ");
  write_file_atomically(folder / "cut.et", "\x7f");
  refused(
      traced(
          "\"batch_per_gpu\": 64, \"graph\": {\"chakra\": \"cut.et\", \"recorded_on\": \"v100_sxm2_16gb\"}"),
      "goes past the end", "check ");
}

TEST_CASE("what has no record is not exported, and nothing is left") {
  const TemporaryFolder folder;
  const std::string file = folder / "scenario.json", out = folder / "out";
  const auto refused = [&](const std::string& text, const char* part) {
    write_file_atomically(file, text);
    const Outcome outcome = run("export chakra " + file + " -o " + out);
    INFO(outcome.output);
    CHECK(outcome.code == 3);
    CHECK(has(outcome, part));
    CHECK_FALSE(std::filesystem::exists(out));
  };
  refused(traced("\"exchange\": {\"strategy\": \"parameter_server\"}", "\"nodes\": 2"),
          "cannot be written as a record");
  refused("{", "the text ends");
  CHECK(run("export chakra scenarios/p100_64_nodes.json").code == 2);
  CHECK(run("export kineto scenarios/p100_64_nodes.json -o " + out).code == 2);
  CHECK(run("export chakra scenarios/p100_64_nodes.json --workload nothing -o " + out).code == 3);
}
