// What a scenario says of a machine, a network and a step beyond names of the catalogue.
#include <doctest/doctest.h>

#include <string>

#include "models/collectives/cluster.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario scenario(const std::string& workload, const std::string& cluster, const std::string& more = "") {
  const std::string text = R"({"name": "own", "data": {"samples": 1000000}, )" + more +
                           R"("workloads": [{"epochs": 1, )" + workload + R"(}], "cluster": )" + cluster +
                           "}";
  return read_scenario(parse_json(text, "own.json"), "own.json");
}

TrainingRun run(const std::string& workload, const std::string& cluster, const std::string& more = "") {
  const Scenario s = resolve_clusters(scenario(workload, cluster, more), catalog());
  Evaluator evaluator{catalog()};
  return evaluator.run(question(s, s.workloads.front()));
}

double step(const std::string& workload, const std::string& cluster, const std::string& more = "") {
  return run(workload, cluster, more).parts.total.base();
}

std::string refused(const std::string& workload, const std::string& cluster) {
  return error_text([&] { (void)run(workload, cluster); });
}

const std::string resnet = R"("model": "resnet50", "batch_per_gpu": 32, "precision": "fp32")";
/// Little to compute and much to exchange.
const std::string vgg = R"("model": "vgg16", "batch_per_gpu": 2, "precision": "fp32")";
const std::string v100s = R"("node": "pcie_server", "gpu": "v100_pcie_16gb")";

}  // namespace

TEST_CASE("a template has the GPUs that are asked for, and a job uses some of each node") {
  CHECK(run(resnet, "{" + v100s + R"(, "gpus_in_node": 4, "nodes": 2})").ranks == 8);
  CHECK(run(resnet, "{" + v100s + R"(, "gpus_in_node": 8, "gpus_per_node": 2, "nodes": 2})").ranks == 4);
  CHECK(contains(refused(resnet, R"({"node": "dgx1v_16gb", "gpus_in_node": 4})"), "has 8 GPUs, not 4"));
  CHECK(contains(refused(resnet, R"({"named": "pfn_mn1", "gpus_in_node": 4})"), "has the GPUs that it has"));
}

TEST_CASE("GPU modules are wired to each other, or in pairs, and over PCIe where NVLink is not used") {
  const std::string pairs = R"({"node": "nvlink_pairs_server", "gpu": "v100_sxm2_16gb", "gpus_in_node": 2)";
  CHECK(step(vgg, pairs + "}") < 0.95 * step(vgg, pairs + R"(, "gpu_links": false})"));
  CHECK(step(vgg, R"({"node": "nvlink_mesh_server", "gpu": "v100_sxm2_16gb"})") <
        0.95 * step(vgg, R"({"node": "pcie_server", "gpu": "v100_sxm2_16gb", "gpus_in_node": 4})"));
  CHECK(contains(refused(vgg, R"({"node": "nvlink_pairs_server", "gpu": "k40"})"), "no NVLinks of k40"));
}

TEST_CASE("the slots of a server of PCIe cards are of the cards' years") {
  const auto link = [](const char* gpu) {
    const Scenario s = scenario(resnet, R"({"node": "pcie_server", "gpu": ")" + std::string{gpu} + "\"}");
    Evaluator evaluator{catalog()};
    return evaluator.cluster(question(s, s.workloads.front())).node.pcie_link.raw.value;
  };
  CHECK(link("a100_pcie_40gb") > 1.9 * link("v100_pcie_16gb"));
  const auto between_sockets = [](const char* gpu) {
    const Scenario s = scenario(resnet, R"({"node": "pcie_server", "gpu": ")" + std::string{gpu} + "\"}");
    Evaluator evaluator{catalog()};
    return evaluator.cluster(question(s, s.workloads.front())).node.socket_link->id;
  };
  CHECK(between_sockets("v100_pcie_16gb") == "socket_links/upi_skylake");
  CHECK(between_sockets("a100_pcie_40gb") == "socket_links/amd_infinity");
  CHECK(between_sockets("h100_pcie") == "socket_links/upi_sapphire_rapids");
  CHECK(between_sockets("l40s") == "socket_links/upi_sapphire_rapids");
  CHECK(between_sockets("rtx_pro_6000_blackwell_se") == "socket_links/upi_emerald_rapids");
}

TEST_CASE("a port has the rate that is stated") {
  const std::string two = "{" + v100s + R"(, "gpus_in_node": 2, "nodes": 2, "fabric": {"link": "gbe25")";
  CHECK(step(vgg, two + "}}") < 0.7 * step(vgg, two + R"(, "link_rate": "10 Gbit/s"}})"));
}

TEST_CASE("passes that add up are said by their number or by the global batch") {
  const std::string four = "{" + v100s + R"(, "gpus_in_node": 4})";
  CHECK(step(resnet + R"(, "accumulation": 4)", four) == step(resnet + R"(, "global_batch": 512)", four));
  CHECK(contains(refused(resnet + R"(, "accumulation": 4, "global_batch": 512)", four),
                 "leave one of them out"));
}

TEST_CASE("a network that the scenario describes is the one of that file, and bad shapes have a place") {
  const std::string own =
      R"("model": {"title": "own", "task": "language model", "source": "ours", "transformer":
         {"layers": 4, "hidden": 512, "heads": 8, "vocab": 32000, "seq_len": 512)";
  const std::string one = R"({"node": "dgx1v_16gb", "gpus_per_job": 1})";
  const std::string batch = R"(, "batch_per_gpu": 4, "precision": "mixed")";
  const double plain = step(own + "}}" + batch, one);
  CHECK(step(own + R"(, "ffn": 2048}})" + batch, one) == doctest::Approx(plain));
  CHECK(step(own + R"(, "ffn": 4096}})" + batch, one) > 1.1 * plain);
  // Twice the tokens, and one update as before.
  CHECK(step(own + R"(}}, "sample": {"tokens": 1024})" + batch, one) > 1.6 * plain);
  CHECK(step(own + R"(}}, "recompute": "full")" + batch, one) > 1.15 * plain);
  const std::string bad = refused(own + R"(, "colour": 3}})" + batch, one);
  CHECK(contains(bad, "own.json:"));
  CHECK(contains(bad, "colour"));
}

TEST_CASE("adapters make a step of a split network shorter, and need a split") {
  // With sequences of a quarter of this length the GPUs wait for the host, which starts the adapters' kernels
  // too.
  const std::string llama = R"("model": "llama2-7b", "precision": "bf16")";
  const std::string node = R"({"node": "dgx_a100_640gb"})";
  const std::string split = R"(, "parallelism": {"tensor": 8, "micro_batches": 4})";
  CHECK(step(llama + split + R"(, "adapters": {"rank": 16})", node) < 0.9 * step(llama + split, node));
  CHECK(contains(refused(llama + R"(, "adapters": {"rank": 16})", node), "\"parallelism\""));
  CHECK(contains(refused(llama + R"(, "parallelism": {"tensor": 8, "gather": "tensors"})", node),
                 "not gathered"));
}

TEST_CASE("images in memory wait for decoding alone, by the loader that is named") {
  const std::string alex = R"("model": "alexnet", "batch_per_gpu": 512, "precision": "mixed")";
  const std::string memory = R"("storage": {"array": "host_memory"}, )";
  const std::string box = R"({"node": "dgx1v_16gb"})";
  const double usual = step(alex, box, memory);
  CHECK(usual > 1.5 * step(alex, box));  // 40 cores decode 10,000 images/s
  CHECK(step(alex, box, memory + R"("input": {"loader": "dali"}, )") < 0.75 * usual);
  CHECK(contains(error_text([&] { (void)scenario(alex, box, memory + R"("input": {"loader": "dally"}, )"); }),
                 "dali"));
}

TEST_CASE("a ratio of two runs has a narrower interval than either") {
  const Scenario eight = scenario(resnet, R"({"node": "dgx1v_16gb"})"),
                 one = scenario(resnet, R"({"node": "dgx1v_16gb", "gpus_per_job": 1})");
  Evaluator evaluator{catalog()};
  const Question fast = question(eight, eight.workloads.front()), slow = question(one, one.workloads.front());
  const Estimate ratio = evaluator.ratio_of_rates(fast, slow), rate = evaluator.predict(fast).samples_per_s;
  CHECK(ratio.value == doctest::Approx(8 * evaluator.predict(fast).scaling_efficiency.value));
  CHECK(ratio.high / ratio.low < rate.high / rate.low);
  CHECK(evaluator.sent_by_node(fast) == Bytes{0});
}
