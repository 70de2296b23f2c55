// What comes of imported files, beyond the reviewed documents of tests/golden/imports.
#include "calibrate/import/import.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import_source.hpp"
#include "models/collectives/cluster.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

const Catalog& catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

std::string corpus(const std::string& name) {
  return read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports/" + name);
}

nlohmann::json imported(const std::string& text, const std::string& kind = {}) {
  return nlohmann::json::parse(
      import_text(catalog(), {.kind = kind, .path = "in", .program = "t"}, text).text);
}

std::string complaint(const std::string& kind, const std::string& text) {
  return error_text([&] { import_text(catalog(), {.kind = kind, .path = "in", .program = "t"}, text); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Imports a corpus file into `folder` and reads it back as a node of the catalogue.
NodeSpec node_of(const TemporaryFolder& folder, const std::string& name, const std::string& gpu = {}) {
  const std::string path = folder / "part.json";
  write_file_atomically(path, import_text(catalog(), {.path = name, .program = "t"}, corpus(name)).text);
  return node_spec(Catalog::builtin(), {.node = path, .gpu = gpu});
}

TEST_CASE("names of drivers lead to the catalogue") {
  const auto id = [](const char* name) {
    return catalogue_gpu(catalog(), name).value_or("");
  };
  CHECK(id("Tesla V100-SXM2-16GB") == "v100_sxm2_16gb");
  CHECK(id("NVIDIA A100-SXM4-80GB") == "a100_sxm4_80gb");
  CHECK(id("NVIDIA A100 80GB PCIe") == "a100_pcie_80gb");
  CHECK(id("A100-PCIE-40GB") == "a100_pcie_40gb");
  CHECK(id("NVIDIA H100 80GB HBM3") == "h100_sxm5");
  CHECK(id("NVIDIA H100 PCIe") == "h100_pcie");
  CHECK(id("NVIDIA H200") == "h200_sxm");
  CHECK(id("Tesla P100-PCIE-16GB") == "p100_pcie_16gb");
  CHECK(id("GeForce GTX 1080 Ti") == "gtx_1080_ti");
  CHECK(id("NVIDIA GeForce RTX 4090") == "rtx4090");
  CHECK(id("TITAN Xp") == "titan_xp");
  CHECK(id("Tesla K80") == "k80");
  CHECK(id("NVIDIA") == "");
  CHECK(id("Radeon Pro") == "");
}

TEST_CASE("a DGX-1V that nvidia-smi lists is wired like that of the catalogue") {
  const TemporaryFolder folder;
  const NodeSpec own = node_of(folder, "nvidia_smi_topo_440_dgx1v.txt", "v100_sxm2_16gb");
  const NodeSpec known = node_spec(catalog(), "dgx1v_16gb");
  CHECK(own.gpus == 8);
  CHECK(own.sockets == 2);
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    int links = 0;
    for (const int n : own.adjacency[gpu]) links += n;
    CHECK(links == 6);
  }
  REQUIRE(own.pcie.size() == known.pcie.size());
  for (std::size_t i = 0; i < own.pcie.size(); ++i) {
    CHECK(own.pcie[i].gpus == known.pcie[i].gpus);
    CHECK(own.pcie[i].cpu == known.pcie[i].cpu);
    CHECK(own.pcie[i].nics == 1);
  }
  // The NCCL file of the same machine also has the adapters' rate.
  const NodeSpec nccl = node_of(folder, "nccl_topo_v1_dgx1v.xml", "v100_sxm2_16gb");
  CHECK(nccl.adjacency == own.adjacency);
  CHECK(nccl.nics == 4);
  CHECK(nccl.nic_link->id == "infiniband_4x/edr");
  // Two of them in one network train together: the graph holds.
  ClusterShape shape;
  shape.nodes = 2;
  const Cluster cluster = make_cluster(catalog(), nccl, shape);
  CHECK(cluster.ranks.size() == 16);
  CHECK_FALSE(cluster.rings.empty());
}

TEST_CASE("switched NVLinks are not taken for direct ones") {
  const TemporaryFolder folder;
  const NodeSpec h100 = node_of(folder, "nvidia_smi_topo_535_h100.txt", "h100_sxm5");
  CHECK(h100.adjacency.empty());
  CHECK(h100.nvswitches == 4);
  const NodeSpec a100 = node_of(folder, "nccl_topo_v2_a100.xml");
  CHECK(a100.gpu.id == "a100_sxm4_80gb");  // by its PCI device
  CHECK(a100.nvswitches == 6);
  CHECK(a100.nics == 8);  // the management port is left out
  CHECK(a100.pcie_link.id.starts_with("pcie/gen4"));
}

TEST_CASE("GPUs on two CPUs without NVLink") {
  const TemporaryFolder folder;
  const NodeSpec old = node_of(folder, "nvidia_smi_topo_375_pcie.txt", "titan_x_pascal");
  CHECK(old.nvswitches == 0);
  CHECK(old.adjacency.empty());
  CHECK(old.sockets == 2);
  REQUIRE(old.pcie.size() == 3);  // two switches and the adapter by itself
  CHECK(old.pcie[0].gpus == std::vector<int>{0, 1});
  CHECK(old.pcie[1].gpus == std::vector<int>{2, 3});
}

TEST_CASE("lstopo and nvidia-smi -q tell the kind of GPU") {
  const TemporaryFolder folder;
  const NodeSpec two = node_of(folder, "lstopo_2.xml");
  CHECK(two.gpu.id == "v100_sxm2_16gb");
  CHECK(two.gpus == 8);
  CHECK(two.cpu_cores->value == 40);
  CHECK(two.socket_link->id == "socket_links/qpi_broadwell");
  CHECK(two.dram->value.base() == doctest::Approx(2 * 270582939648.0).epsilon(1e-3));
  CHECK(two.pcie.size() == 4);
  CHECK(two.pcie[1].gpus == std::vector<int>{2, 3});
  const NodeSpec one = node_of(folder, "lstopo_1.xml");
  CHECK(one.gpu.id == "gtx_1080_ti");  // and not the display of the board controller
  CHECK(one.gpus == 1);
  const NodeSpec k80 = node_of(folder, "nvidia_smi_v8.xml");
  CHECK(k80.gpus == 4);
  CHECK(k80.boards == 2);
  const nlohmann::json limited = imported(corpus("nvidia_smi_v12.xml"));
  CHECK(limited.at("warnings").dump().find("limited to 500 W") != std::string::npos);
}

TEST_CASE("a curve of nccl-tests keeps sizes, times, ranks and nodes") {
  const nlohmann::json two = imported(corpus("nccl_tests_2.13.txt"));
  const nlohmann::json& curve = two.at("collective");
  CHECK(curve.at("operation") == "all_reduce");
  CHECK(curve.at("gpus") == 16);
  CHECK(curve.at("nodes") == 2);
  CHECK(curve.at("gpu") == "a100_sxm4_80gb");
  CHECK(curve.at("points").size() == 5);
  CHECK(curve.at("points").at(1).at("time") == "110 us");
  // Without the test's name the columns tell: a sum whose bus bandwidth is 2(n-1)/n of the other.
  CHECK(imported(corpus("nccl_tests_2.0.txt")).at("collective").at("operation") == "all_reduce");
  CHECK(imported(corpus("nccl_tests_1.x.txt")).at("collective").at("gpus") == 4);
  const std::string wrong = replaced(corpus("nccl_tests_2.0.txt"), "values : 0 OK", "values : 3 FAILED");
  CHECK(imported(wrong).at("warnings").dump().find("wrong results") != std::string::npos);
}

TEST_CASE("nccl-tests' JSON is read like its text") {
  const std::string good = corpus("nccl_tests_2.17.json");
  const nlohmann::json two = imported(good);
  const nlohmann::json& curve = two.at("collective");
  // Two processes, each of which lists one GPU and drives eight.
  CHECK(curve.at("gpus") == 16);
  CHECK(curve.at("nodes") == 2);
  CHECK(curve.at("operation") == "all_reduce");
  CHECK(curve.at("points") == imported(corpus("nccl_tests_2.13.txt")).at("collective").at("points"));
  CHECK(two.at("warnings").empty());
  CHECK(imported(replaced(good, R"("okay":"true")", R"("okay":"false")"))
            .at("warnings")
            .dump()
            .find("wrong results") != std::string::npos);
  CHECK(contains(complaint("", replaced(good, R"({"time":36.2)", R"({"cpu_time":36.2)")), "without -C"));
  CHECK(contains(complaint("", replaced(good, R"("time":110.000000)", R"("time":"nan")")), "in:"));
  CHECK(contains(complaint("", replaced(good, R"("ngpus":8)", R"("ngpus":0)")), "between 1 and 1024"));
  CHECK(contains(complaint("", replaced(good, "all_reduce_perf", "what_perf")), "\"args\" must begin"));
  CHECK(contains(complaint("", good.substr(0, good.size() - 40)), "in:"));
}

TEST_CASE("fio's numbers in all four forms") {
  const nlohmann::json json = imported(corpus("fio_3_json.txt"));
  const nlohmann::json& facts = json.at("storage").at("facts");
  CHECK(facts.at("read_gb_per_s").at("value") == doctest::Approx(3.13175));
  CHECK(facts.at("write_gb_per_s").at("value") == doctest::Approx(1.4));
  CHECK(facts.at("read_kiops").at("value") == doctest::Approx(679.936));
  CHECK(facts.at("latency_us").at("value") == doctest::Approx(84.5));
  // 375,200 KiB/s, and the plain form of the same version: 375.2 MiB/s.
  CHECK(imported(corpus("fio_2_json.txt")).at("jobs").at(0).at("read").at("bandwidth") == "384.205 MB/s");
  CHECK(imported(corpus("fio_2.txt")).at("jobs").at(0).at("read").at("bandwidth") == "393.426 MB/s");
  const nlohmann::json text = imported(corpus("fio_3.txt"));
  CHECK(text.at("jobs").at(1).at("read").at("latency") == "84.5 us");
  CHECK(text.at("jobs").at(1).at("read").at("operations") == "11700 IOPS");
  CHECK(contains(complaint("fio", replaced(corpus("fio_3_json.txt"), "\"error\" : 0, \"elapsed\"",
                                           "\"error\" : 5, \"elapsed\"")),
                 "reports an error"));
}

TEST_CASE("the shape of an InfiniBand fabric") {
  const nlohmann::json edr = imported(corpus("ibnetdiscover_edr.txt"));
  CHECK(edr.at("counts").at("adapters") == 8);
  CHECK(edr.at("counts").at("leaf_switches") == 2);
  CHECK(edr.at("fabric").at("link") == "edr");
  CHECK(edr.at("fabric").at("oversubscription") == 2);  // four down, two up
  CHECK(edr.at("fabric").at("down_ports") == 4);
  CHECK(imported(corpus("ibnetdiscover_qdr.txt")).at("fabric").at("kind") == "single_switch");
}

TEST_CASE("MLPerf logs of three rounds") {
  const nlohmann::json run = imported(corpus("mllog_1.0.log")).at("run");
  CHECK(run.at("benchmark") == "resnet");
  CHECK(run.at("time") == "2221 s");
  CHECK(run.at("epochs") == 37);
  CHECK(run.at("global_batch") == 2048);
  CHECK(imported(corpus("mllog_0.5.log")).at("run").at("time") == "8000 s");
  CHECK(imported(corpus("mllog_0.6.log")).at("run").at("reached_target") == false);
}

TEST_CASE("a scenario names imported files relative to itself") {
  const TemporaryFolder folder;
  const auto put = [&](const std::string& from, const std::string& to) {
    write_file_atomically(folder / to,
                          import_text(catalog(), {.path = from, .program = "t"}, corpus(from)).text);
  };
  put("nccl_topo_v1_dgx1v.xml", "node.json");
  put("fio_3_json.txt", "disk.json");
  put("ibnetdiscover_edr.txt", "net.json");
  write_file_atomically(folder / "s.json", R"({
    "name": "own", "data": {"samples": 1000},
    "storage": {"array": "disk.json"}, "workloads": [{"model": "resnet50", "epochs": 1}],
    "cluster": {"node": "node.json", "gpu": "v100_sxm2_16gb", "nodes": 4, "fabric": "net.json"},
    "goal": {"deadline": "1 day", "alternatives": ["node.json", "dgx1_p100"]}})");
  const Scenario scenario = load_scenario(folder / "s.json");
  CHECK(scenario.cluster.node == folder / "node.json");
  CHECK(scenario.storage.array == folder / "disk.json");
  CHECK(scenario.cluster.fabric.choice.oversubscription == 2);
  CHECK(scenario.cluster.fabric.choice.down_ports == 4);
  CHECK(scenario.cluster.fabric.link == "edr");
  CHECK(scenario.goal->alternatives[0] == folder / "node.json");
  CHECK(scenario.goal->alternatives[1] == "dgx1_p100");
  // --set is relative to where the command runs, as every other argument is.
  CHECK(load_scenario(folder / "s.json", {"cluster.node=x/y.json"}).cluster.node == "x/y.json");
  CHECK(contains(error_text([&] { (void)Catalog::builtin().find("nodes", folder / "disk.json"); }),
                 "holds nothing for"));
  CHECK(contains(error_text([&] { (void)Catalog::builtin().find("nodes", folder / "none.json"); }),
                 "no such file"));
}

TEST_CASE("broken files are refused at their place") {
  const std::string topo = corpus("nvidia_smi_topo_375_pcie.txt");
  CHECK(contains(complaint("nvidia-smi-topo", replaced(topo, "GPU1\tPIX", "GPU1\tPXB")), "disagree"));
  CHECK(contains(complaint("nvidia-smi-topo", replaced(topo, "GPU1\tPIX", "GPU1\tWHAT")), "in:3:6: error"));
  CHECK(contains(complaint("nvidia-smi-topo", topo.substr(0, 60)), "error"));
  CHECK(contains(complaint("lstopo", "Machine (64GB)"), "save the topology as XML"));
  // The text form is known from its content, so that the hint comes without naming the kind.
  CHECK(contains(complaint("", "Machine (18GB total)\n  Package L#0\n    Core L#0 + PU L#0 (P#0)\n"),
                 "lstopo --whole-io --of xml topo.xml"));
  CHECK(contains(complaint("nccl-topo-xml", "<system><cpu></system>"), "not well-formed"));
  CHECK(contains(complaint("", "hello"), "no known kind"));
  CHECK(contains(complaint("fios", "hello"), "did you mean \"fio\""));
  CHECK(contains(complaint("nccl-tests", replaced(corpus("nccl_tests_2.0.txt"), "25.31", "1e999")),
                 "not a number"));
  CHECK(contains(
      complaint("ibnetdiscover", replaced(corpus("ibnetdiscover_edr.txt"), "Switch\t36", "Switch\t2")),
      "6 cables on 2 ports"));
  CHECK(
      contains(complaint("mllog", ":::MLLOG {\"key\": \"run_start\", \"time_ms\": 5"), "log line is broken"));
  CHECK(contains(complaint("nvidia-smi-xml", replaced(corpus("nvidia_smi_v10.xml"), "16160 MiB", "16160 GB")),
                 "with the unit MiB"));
}

}  // namespace
}  // namespace rackcast
