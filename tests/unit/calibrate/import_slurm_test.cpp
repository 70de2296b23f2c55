// What a cluster of Slurm has, and the cluster of a scenario that is made of it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

using Ids = std::vector<std::string>;

std::string slurm_file(const std::string& name) {
  return read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports/" + name);
}

ImportResult slurm_import(const std::string& text, const std::string& kind = "slurm-nodes") {
  static const Catalog catalog = Catalog::builtin();
  return import_text(catalog, {.kind = kind, .path = "nodes", .program = "t"}, text);
}

nlohmann::json slurm_document(const std::string& text) {
  return nlohmann::json::parse(slurm_import(text).text);
}

std::string slurm_complaint(const std::string& text) {
  return error_text([&] { (void)slurm_import(text); });
}

std::string slurm_warnings(const std::string& text) {
  return slurm_document(text).at("warnings").dump();
}

struct SlurmNodeText {
  std::string name = "n1", gres = "gpu:t4:4", state = "IDLE", tres = "gres/gpu=4";
  int cpus = 32, cores = 16;
  int memory_mib = 190'000;
};

/// A node as scontrol prints it, with the fields that are read.
std::string scontrol_text(const SlurmNodeText& n) {
  const std::string cpus = std::to_string(n.cpus), memory = std::to_string(n.memory_mib);
  return "NodeName=" + n.name + " Arch=x86_64 CoresPerSocket=" + std::to_string(n.cores) +
         " \n   CPUAlloc=0 CPUEfctv=" + cpus + " CPUTot=" + cpus + " CPULoad=0.01\n   Gres=" + n.gres +
         "\n   OS=Linux 5.15.0 #101-Ubuntu SMP\n   RealMemory=" + memory +
         " AllocMem=0 FreeMem=9 Sockets=2 Boards=1\n   State=" + n.state +
         " ThreadsPerCore=1 TmpDisk=0 Weight=1\n   Partitions=gpu \n   CfgTRES=cpu=" + cpus +
         ",mem=" + memory + "M,billing=4," + n.tres + "\n   AllocTRES=\n\n";
}

/// GPUs of the first group.
nlohmann::json gpus_of(const SlurmNodeText& node) {
  return slurm_document(scontrol_text(node)).at("inventory").at("groups").at(0).at("gpus");
}

TEST_CASE("nodes of Slurm are counted in groups of equal ones, apart from those out of service") {
  const nlohmann::json all = slurm_document(slurm_file("scontrol_23.11.txt"));
  const nlohmann::json& inventory = all.at("inventory");
  CHECK(inventory.at("nodes") == 11);
  CHECK(inventory.at("out_of_service") == 2);  // one drained, one down
  CHECK(inventory.at("gpus") == 5 * 8 + 3 * 4);
  CHECK(inventory.at("gpus_in_service") == 4 * 8 + 2 * 4);
  CHECK(inventory.at("gpus_in_use") == 6 + 8 + 4 + 2);
  REQUIRE(inventory.at("groups").size() == 3);
  const nlohmann::json& first = inventory.at("groups").at(0);
  CHECK(first.at("nodes") == 5);
  CHECK(first.at("in_service") == 4);
  CHECK(first.at("cores") == 112);
  CHECK(first.at("partitions").at("interactive") == 2);
  CHECK(first.at("states").at("idle+drain") == 1);
  // The largest group in service is that of the DGX H100: 8 GPUs, 2 x 56 cores, 2 TB.
  CHECK(all.at("scenario").at("cluster").at("node") == "dgx_h100");
  CHECK(all.at("scenario").at("cluster").at("nodes") == 4);
  CHECK(contains(all.at("warnings").dump(), "leaves out 2 nodes with 4 x a100-sxm4-80gb"));
}

TEST_CASE("one line for each node, with -d, says the same as several") {
  const nlohmann::json all = slurm_document(slurm_file("scontrol_21.08_oneliner.txt"));
  CHECK(all.at("scenario").at("cluster").at("node") ==
        "dgx_a100_640gb");  // 2 TB: the other has 1 TB and 40 GB GPUs
  CHECK(all.at("inventory").at("gpus_in_use") == 11);
  std::string lines = slurm_file("scontrol_23.11.txt");
  for (std::size_t at = 0; (at = lines.find("\n   ", at)) != std::string::npos;) lines.replace(at, 4, " ");
  CHECK(slurm_document(lines).at("inventory") ==
        slurm_document(slurm_file("scontrol_23.11.txt")).at("inventory"));
}

TEST_CASE("sinfo lists a node once for each partition, and it counts once") {
  const nlohmann::json all = slurm_document(slurm_file("sinfo_N.txt"));
  CHECK(all.at("inventory").at("nodes") == 8);
  CHECK(all.at("inventory").at("gpus") == 6 * 4 + 2 * 2);
  CHECK(all.at("inventory").at("out_of_service") == 1);
  CHECK(all.at("inventory").at("groups").at(0).at("partitions").at("short") == 6);
  CHECK(all.at("scenario").at("cluster").at("node") == "pcie_server");
  CHECK(all.at("scenario").at("cluster").at("gpu") == "l40s");
  CHECK(all.at("scenario").at("cluster").at("gpus_in_node") == 4);
  // In another order, right-aligned, without partitions.
  const nlohmann::json other = slurm_document(
      "   STATE  MEMORY CPUS           GRES HOSTNAMES\n    idle  515640   64     gpu:l40s:4        a1\n");
  CHECK(other.at("scenario").at("cluster").at("nodes") == 1);
}

TEST_CASE("forms of generic resources") {
  using nlohmann::json;
  const auto one = [](const json& type, int count) {
    return json{{{"type", type}, {"per_node", count}}};
  };
  CHECK(gpus_of({.gres = "gpu:h100:8(S:0-1)"}) == one("h100", 8));
  CHECK(gpus_of({.gres = "gpu:a100-sxm4-80gb:4(S:0,1),shard:32"}) == one("a100-sxm4-80gb", 4));
  CHECK(gpus_of({.gres = "gpu:2,mps:200"}) == one(nullptr, 2));
  CHECK(gpus_of({.gres = "gpu:t4:1(S:0),gpu:t4:1(S:1)"}) == one("t4", 2));
  CHECK(gpus_of({.gres = "gpu:t4:no_consume:4"}) == one("t4", 4));
  CHECK(gpus_of({.gres = "gpu"}) == one(nullptr, 1));
  CHECK(gpus_of({.gres = "(null)", .tres = "gres/gpu=2,gres/gpu:tesla=2"}) == one("tesla", 2));
  CHECK(gpus_of({.gres = "gpu:2", .tres = "gres/gpu=2,gres/gpu:tesla=2"}) == one("tesla", 2));
  CHECK(gpus_of({.gres = "(null)", .tres = "gres/gpumem=9"}).empty());
  CHECK(gpus_of({.gres = "craynetwork:4", .tres = "gres/craynetwork=4"}).empty());
  CHECK(gpus_of({.gres = "gpu:1g.10gb:7"}).at(0).at("slices_per_node") == 7);
  CHECK(gpus_of({.gres = "gpu:a:2,gpu:b:1"}).size() == 2);
}

TEST_CASE("states of nodes that take no jobs") {
  const auto in_service = [](const std::string& state) {
    return slurm_document(scontrol_text({.state = state})).at("inventory").at("out_of_service") == 0;
  };
  for (const char* good : {"IDLE", "MIXED", "ALLOCATED+", "IDLE+CLOUD+POWERED_DOWN", "MIXED+PLANNED",
                           "COMPLETING", "IDLE+RESERVED", "idle~"})
    CHECK_MESSAGE(in_service(good), good);
  for (const char* bad :
       {"DOWN", "DOWN*", "IDLE+DRAIN", "MIXED+DRAIN", "IDLE*", "DOWN+NOT_RESPONDING", "drng", "FUTURE",
        "IDLE+MAINTENANCE+RESERVED", "maint", "MIXED+MAINT", "inval", "UNKNOWN", "FAILING"})
    CHECK_MESSAGE(!in_service(bad), bad);
  CHECK(contains(slurm_warnings(scontrol_text({.state = "DOWN"})), "no node with GPUs is in service"));
}

/// A node as scontrol prints it, with GresUsed or other AllocTRES.
nlohmann::json inventory_of(const SlurmNodeText& node, const std::string& gres_used,
                            const std::string& alloc = {}) {
  std::string text = scontrol_text(node);
  if (!gres_used.empty()) text.insert(text.find("   OS="), "   GresUsed=" + gres_used + "\n");
  text.insert(text.find("AllocTRES=") + 10, alloc);
  return slurm_document(text).at("inventory");
}

TEST_CASE("GPUs without a type are written as (null)") {
  const SlurmNodeText untyped{.gres = "gpu:(null):4(S:0-1)"};
  const nlohmann::json inventory = inventory_of(untyped, "gpu:(null):3(IDX:0-2)");
  CHECK(inventory.at("gpus_in_use") == 3);
  CHECK(inventory.at("groups").at(0).at("gpus") == nlohmann::json{{{"type", nullptr}, {"per_node", 4}}});
  CHECK(inventory_of({}, "gpu:t4:2(CNT:2)").at("gpus_in_use") == 2);
  CHECK(inventory_of({}, "gpu:t4:0(IDX:N/A)").at("gpus_in_use") == 0);
  // Other brackets are part of the type or of the number, and not dropped.
  CHECK(contains(slurm_complaint(scontrol_text({.gres = "gpu:t4:4(X)"})), "not a number"));
}

TEST_CASE("slices of GPUs count neither as GPUs in use nor for the choice of the cluster") {
  // 2 whole GPUs and 7 slices of others in use.
  const SlurmNodeText mixed{.gres = "gpu:a100:4,gpu:1g.5gb:14", .tres = "gres/gpu=18"};
  CHECK(inventory_of(mixed, "gpu:a100:2(IDX:0-1),gpu:1g.5gb:7(IDX:0-6)").at("gpus_in_use") == 2);
  CHECK(inventory_of(mixed, {}, "gres/gpu=9,gres/gpu:a100=2,gres/gpu:1g.5gb=7").at("gpus_in_use") == 2);
  CHECK_FALSE(inventory_of(mixed, {}, "gres/gpu=9").contains("gpus_in_use"));
  CHECK_FALSE(inventory_of({.gres = "gpu:1g_5gb:7"}, {}, "gres/gpu=3").contains("gpus_in_use"));
  CHECK(gpus_of({.gres = "gpu:1g_5gb:7"}).at(0).at("slices_per_node") == 7);
  CHECK(gpus_of({.gres = "gpu:a100_3g.20gb:2"}).at(0).at("slices_per_node") == 2);
  // 28 slices of 4 GPUs beside 8 GPUs: the 8 are the cluster.
  const nlohmann::json both = slurm_document(scontrol_text({.name = "a", .gres = "gpu:1g.5gb:28"}) +
                                             scontrol_text({.name = "b", .gres = "gpu:t4:8"}));
  CHECK(both.at("scenario").at("cluster").at("gpu") == "t4");
  CHECK(contains(both.at("warnings").dump(), "leaves out 1 node with 28 x 1g.5gb"));
}

TEST_CASE("a total beside types keeps the GPUs whose type it does not state") {
  // 6 in all, 4 of them a100: 2 have no type.
  const SlurmNodeText node{.gres = "gpu:a100:4,gpu:v100:2", .tres = "gres/gpu=6,gres/gpu:a100=4"};
  CHECK(inventory_of(node, {}, "gres/gpu=6,gres/gpu:a100=4").at("gpus_in_use") == 6);
  CHECK(inventory_of(node, {}, "gres/gpu=4,gres/gpu:a100=4").at("gpus_in_use") == 4);
  CHECK(gpus_of({.gres = "(null)", .tres = node.tres}) ==
        nlohmann::json{{{"type", nullptr}, {"per_node", 2}}, {{"type", "a100"}, {"per_node", 4}}});
}

TEST_CASE("AllocTRES without CfgTRES") {
  std::string text = scontrol_text({});
  const std::size_t cfg = text.find("   CfgTRES=");
  text.erase(cfg, text.find('\n', cfg) + 1 - cfg);
  CHECK_FALSE(slurm_document(text).at("inventory").contains("gpus_in_use"));
  text.insert(text.find("AllocTRES=") + 10, "cpu=4,gres/gpu=3");
  CHECK(slurm_document(text).at("inventory").at("gpus_in_use") == 3);
}

TEST_CASE("short names of GPUs mean one GPU, several, or none") {
  const Catalog catalog = Catalog::builtin();
  const auto called = [&](const char* name) {
    return catalogue_gpus_called(catalog, name);
  };
  CHECK(called("a100-sxm4-80gb") == Ids{"a100_sxm4_80gb"});
  CHECK(called("nvidia_h100_80gb_hbm3") == Ids{"h100_sxm5"});
  CHECK(called("nvidia_a100-pcie-40gb") == Ids{"a100_pcie_40gb"});
  CHECK(called("rtx2080ti") == Ids{"rtx_2080_ti"});
  CHECK(called("rtx_3090") == Ids{"rtx_3090"});
  CHECK(called("k80") == Ids{"k80"});
  CHECK(called("l4") == Ids{"l4"});
  CHECK(called("v100s") == Ids{"v100s_pcie_32gb"});
  // An alias of one form, but not the only form of that name.
  CHECK(called("v100").size() == 6);
  CHECK(called("tesla_v100").size() == 6);
  CHECK(called("h200") == Ids{"h200_nvl", "h200_sxm"});
  CHECK(called("tesla").empty());
  CHECK(called("kepler2").empty());
  CHECK(called("").empty());
  // How a GPU is built, or its memory, is no model.
  for (const char* form : {"sxm", "sxm4", "40gb", "pcie-80gb", "hbm3"})
    CHECK_MESSAGE(called(form).empty(), form);
}

TEST_CASE("no node of the catalogue is taken on a guess") {
  const auto cluster = [](const SlurmNodeText& node) {
    return slurm_document(scontrol_text(node)).at("scenario").at("cluster");
  };
  const auto warnings = [](const SlurmNodeText& node) {
    return slurm_warnings(scontrol_text(node));
  };
  // The same GPUs, but CPUs of no DGX.
  const SlurmNodeText other{.gres = "gpu:h100:8", .cpus = 96, .cores = 48, .memory_mib = 1'500'000};
  CHECK_FALSE(cluster(other).contains("node"));
  CHECK(cluster(other).at("nodes") == 1);
  CHECK(contains(warnings(other), "may be one of these nodes of the catalogue: aws_p5_48xlarge, dgx_h100"));
  CHECK(contains(warnings({.gres = "gpu:v100:3"}), "the type may be v100_pcie_16gb, v100_pcie_32gb"));
  CHECK(contains(warnings({.gres = "gpu:4"}), "does not say of which type"));
  CHECK(contains(warnings({.gres = "gpu:turbo9:4"}), "\\\"turbo9\\\" is no GPU of the catalogue"));
  CHECK(contains(warnings({.gres = "gpu:a100_1g.5gb:7"}), "slices of GPUs (MIG)"));
  CHECK(contains(warnings({.gres = "gpu:t4:2,gpu:l4:2"}), "one kind of GPU"));
  CHECK(contains(warnings({.gres = "gpu:h200_sxm:5"}), "the catalogue has no node with 5 h200_sxm"));
  // A board of four modules is wired to each other.
  CHECK(cluster({.gres = "gpu:a100-sxm4-40gb:4"}).at("node") == "nvlink_mesh_server");
  CHECK(contains(warnings({.gres = "(null)", .tres = "billing=1"}), "no node with GPUs is in service"));
}

TEST_CASE("memory that differs a little makes no other group") {
  const auto groups = [](int second) {
    return slurm_document(scontrol_text({.name = "a"}) + scontrol_text({.name = "b", .memory_mib = second}))
        .at("inventory")
        .at("groups")
        .size();
  };
  CHECK(groups(190'000) == 1);
  CHECK(groups(193'000) == 1);
  CHECK(groups(380'000) == 2);
}

TEST_CASE("a scenario extends the cluster that was imported") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "cluster.json", slurm_import(slurm_file("scontrol_23.11.txt")).text);
  write_file_atomically(folder / "s.json",
                        R"({"extends": "cluster.json", "name": "own", "data": {"samples": 1000},
    "workloads": [{"model": "resnet50", "epochs": 1}], "cluster": {"fabric": {"link": "ndr"}}})");
  const Scenario scenario = load_scenario(folder / "s.json");
  CHECK(scenario.cluster.node == "dgx_h100");
  CHECK(scenario.cluster.nodes == 4);
  CHECK(scenario.cluster.fabric.link == "ndr");
  CHECK(load_scenario(folder / "s.json", {"cluster.nodes=2"}).cluster.nodes == 2);
  // An uncertain node: the scenario names it.
  write_file_atomically(folder / "cluster.json", slurm_import(scontrol_text({.gres = "gpu:4"})).text);
  CHECK(contains(error_text([&] { (void)load_scenario(folder / "s.json"); }), "either a \"node\""));
  CHECK(load_scenario(folder / "s.json", {"cluster.node=pcie_server", "cluster.gpu=t4"}).cluster.nodes == 1);
  write_file_atomically(folder / "cluster.json", slurm_import(slurm_file("fio_3.txt"), "fio").text);
  CHECK(contains(error_text([&] { (void)load_scenario(folder / "s.json"); }), "holds no scenario"));
}

TEST_CASE("broken listings of nodes are refused at their place") {
  const std::string good = scontrol_text({});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return slurm_complaint(text.replace(at, from.size(), to));
  };
  CHECK(contains(with("gpu:t4:4", "gpu:t4:-4"), "nodes:3:16: error"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:4.5"), "not whole"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:99999999"), "between 0 and 1024"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:x"), "not a number"));
  CHECK(contains(with("gpu:t4:4", "gpu::4"), "names no GPUs"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:4(S:0-"), "brackets"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:1000,gpu:t4:1000"), "more than 1024 GPUs"));
  CHECK(contains(with("gpu:t4:4", "gpu:t4:1000,gpu:l4:1000"), "more than 1024 GPUs"));
  std::string partitions;
  for (int i = 0; i < 10'001; ++i) partitions += "p" + std::to_string(i) + ",";
  CHECK(contains(with("Partitions=gpu", "Partitions=" + partitions), "more than 10000 partitions"));
  CHECK(contains(with("gres/gpu=4", "gres/gpu"), "has no number"));
  CHECK(contains(with("CPUTot=32", "CPUTot=-1"), "CPUTot of the node"));
  CHECK(contains(with("RealMemory=190000", "RealMemory=190G"), "not a number"));
  CHECK(contains(with("State=IDLE", "Stat=IDLE"), "this node has no State"));
  CHECK(contains(with("State=IDLE", "State="), "this node has no State"));
  CHECK(contains(with("NodeName=n1", "NodeName="), "this node has no name"));
  CHECK(contains(slurm_complaint(good + good), "stands twice"));
  CHECK(contains(slurm_complaint(good + good.substr(0, good.find("CfgTRES")) + "\n"), "stands twice"));
  const std::string second = scontrol_text({.name = "n2"});
  CHECK(contains(slurm_complaint(good + second.substr(0, second.find("CfgTRES")) + "\n"), "has no CfgTRES"));
  CHECK(contains(slurm_warnings(good + second.substr(0, second.find("\n\n"))), "may be cut off"));
  CHECK(contains(slurm_complaint("hello\n"), "no line of titles"));
  for (const char* other :
       {"NodeName=n1 CPUs=64 Boards=1 SocketsPerBoard=2 RealMemory=515000\nUpTime=1-02:03:04\n",
        "ClusterName=c\nNodeName=n[1-4] CPUs=64 Gres=gpu:t4:4 State=UNKNOWN\n"})
    CHECK_MESSAGE(contains(slurm_complaint(other), "slurm.conf and `slurmd -C` have other fields"), other);
  CHECK(contains(slurm_complaint("{\"nodes\": []}\n"), "without --json"));
}

TEST_CASE("broken tables of sinfo are refused at their place") {
  const std::string head = "NODELIST GRES CPUS MEMORY STATE\n";
  CHECK(contains(slurm_complaint("NODELIST CPUS MEMORY STATE\na 1 1 idle\n"), "there is no column GRES"));
  CHECK(contains(slurm_complaint("NODELIST GRES GRES\na 1 1\n"), "stands twice"));
  CHECK(contains(slurm_complaint(head), "no node stands below"));
  CHECK(contains(slurm_complaint(head + "a gpu:t4:4 64 1000\n"), "nodes:2:1: error"));
  CHECK(contains(slurm_complaint(head + "a[1-4] gpu:t4:4 64 1000 idle\n"), "several nodes"));
  CHECK(contains(slurm_complaint(head + "a gpu:t4:4 64+ 1000 idle\n"), "nodes that differ"));
  CHECK(contains(slurm_complaint(head + "a gpu:t4:4 many 1000 idle\n"), "not a number"));
  CHECK(contains(slurm_complaint(head + "a gpu:t4:4 64 1000 idle\na gpu:t4:8 64 1000 idle\n"),
                 "other numbers"));
  CHECK(contains(slurm_complaint("NODELIST GRES CPUS MEMORY S:C:T STATE\na gpu:1 1 1 2:8 idle\n"),
                 "SOCKETS:CORES:THREADS"));
}

TEST_CASE("columns of sinfo that were cut off do not become one GPU") {
  const std::string head = "NODELIST GRES CPUS MEMORY STATE\n";
  const std::string cut = slurm_complaint(head + "a1 gpu:h100 64 1000 idle\n");
  CHECK(contains(cut, "nodes:2:4: error: \"gpu:h100\" has no number of GPUs"));
  CHECK(contains(cut, "expected gpu:TYPE:NUMBER"));
  CHECK(contains(cut, "-O Gres:100"));
  CHECK(contains(slurm_complaint(head + "a1 gpu:h100: 64 1000 idle\n"), "-O Gres:100"));
  // 20 characters, which may have been "gpu:a100-sxm4-80gb:16".
  const std::string width = "has exactly 20 characters";
  CHECK(contains(slurm_warnings(head + "a1 gpu:a100-sxm4-80gb:1 64 1000 idle\n"), width));
  CHECK_FALSE(contains(slurm_warnings(head + "a1 gpu:a100-sxm4-80gb:16 64 1000 idle\n"), width));
}

TEST_CASE("one node is not called several") {
  CHECK(contains(slurm_warnings(scontrol_text({.gres = "gpu:4"})), "1 node with 4 x gpu"));
  CHECK(contains(slurm_import(scontrol_text({})).summary, "1 node in 1 group"));
}

}  // namespace
}  // namespace rackcast
