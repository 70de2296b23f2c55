#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "topologies/nodes/node_builder.hpp"
#include "topologies/nodes/node_matrix.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

NodeMatrix matrix_of(const NodeChoice& choice) {
  return node_matrix(build_node(node_spec(catalog(), choice)));
}

std::string cell(const NodeMatrix& m, const std::string& a, const std::string& b) {
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(m.names, name) - m.names.begin());
  };
  return m.cells.at(at(a)).at(at(b));
}

}  // namespace

TEST_CASE("the matrix of four K80 GPUs of two sockets reads as nvidia-smi prints it") {
  const NodeSpec spec = node_spec(catalog(), {.node = "bnl_ic_k80", .nics = 1});
  CHECK(to_text(node_matrix(build_node(spec)), 2, 36) ==
        R"(       GPU0   GPU1   GPU2   GPU3   NIC0   CPU affinity
GPU0    X     PIX    SYS    SYS    PHB    0-17
GPU1   PIX     X     SYS    SYS    PHB    0-17
GPU2   SYS    SYS     X     PIX    SYS    18-35
GPU3   SYS    SYS    PIX     X     SYS    18-35
NIC0   PHB    PHB    SYS    SYS     X     0-17

  X     itself
  PIX   one PCIe switch
  PHB   the PCIe host bridge of a CPU
  SYS   the link between CPUs
)");
}

TEST_CASE("a matrix keeps to the width: columns stand closer, then follow below") {
  const NodeMatrix m = matrix_of({.node = "dgx2"});
  for (const int width : {60, 80, 120, 200}) {
    std::istringstream lines(to_text(m, 2, 48, width));
    std::size_t widest = 0, gpu15 = 0;
    for (std::string line; std::getline(lines, line);) {
      widest = std::max(widest, line.size());
      gpu15 += line.starts_with("GPU15 ") ? 1 : 0;
    }
    CHECK(widest <= static_cast<std::size_t>(width));
    CHECK((gpu15 == 1) == (width == 200));
  }
}

TEST_CASE("a DGX-1V joins neighbours by one or two NVLinks and far GPUs through the sockets") {
  // NCCL's dump of the machine (NVIDIA/nccl issue 671): GPU 0 has links 1, 1, 2, 2 to GPUs 1, 2, 3, 4.
  const NodeMatrix m = matrix_of({.node = "dgx1v_16gb"});
  CHECK(m.cells[0] == std::vector<std::string>{"X", "NV1", "NV1", "NV2", "NV2", "SYS", "SYS", "SYS", "PIX",
                                               "PHB", "SYS", "SYS"});
}

TEST_CASE("a DGX-2's adapters are PIX, PXB, NODE and SYS away, its GPUs six NVLinks") {
  // nvidia-smi topo -m in NVIDIA/nccl-tests issue 78
  const NodeMatrix m = matrix_of({.node = "dgx2"});
  CHECK(cell(m, "GPU0", "GPU15") == "NV6");
  const std::vector<std::string> first{"PIX", "PXB", "NODE", "NODE", "SYS", "SYS", "SYS", "SYS"};
  CHECK(std::vector<std::string>(m.cells[0].begin() + 16, m.cells[0].end()) == first);
  CHECK(cell(m, "GPU3", "NIC0") == "PXB");
  CHECK(cell(m, "GPU4", "NIC2") == "PIX");
}

TEST_CASE("widths of NVLink per generation") {
  CHECK(cell(matrix_of({.node = "dgx_a100_640gb"}), "GPU0", "GPU7") == "NV12");
  CHECK(cell(matrix_of({.node = "dgx_h100"}), "GPU0", "GPU7") == "NV18");
  CHECK(cell(matrix_of({.node = "dgx_h200"}), "GPU0", "GPU7") == "NV18");
  CHECK(cell(matrix_of({.node = "dgx_b200"}), "GPU0", "GPU7") == "NV18");
  CHECK(cell(matrix_of({.node = "gb200_nvl72_rack"}), "GPU0", "GPU71") == "NV18");
  CHECK(cell(matrix_of({.node = "aws_p4d_24xlarge"}), "GPU0", "GPU7") == "NV12");
  CHECK(cell(matrix_of({.node = "aws_p5_48xlarge"}), "GPU0", "GPU7") == "NV18");
  CHECK(cell(matrix_of({.node = "abci_v100_4gpu"}), "GPU0", "GPU3") == "NV2");
  CHECK(cell(matrix_of({.node = "dell_c4140_k"}), "GPU0", "GPU3") == "NV2");
}

TEST_CASE("PCIe servers: one switch, two domains, boards") {
  const NodeMatrix b = matrix_of({.node = "dell_c4140_b"});
  for (const char* gpu : {"GPU1", "GPU2", "GPU3"}) CHECK(cell(b, "GPU0", gpu) == "PIX");
  const NodeMatrix titan = matrix_of({.node = "svail_titanx8"});
  CHECK(cell(titan, "GPU0", "GPU1") == "PIX");
  CHECK(cell(titan, "GPU0", "GPU3") == "PHB");
  CHECK(cell(titan, "GPU0", "GPU4") == "SYS");
  const NodeMatrix p2 = matrix_of({.node = "aws_p2_16xlarge"});
  CHECK(cell(p2, "GPU0", "GPU1") == "PIX");
  CHECK(cell(p2, "GPU7", "GPU8") == "SYS");
  const NodeMatrix gce = matrix_of({.node = "gce_k80_8gpu"});
  CHECK(cell(gce, "GPU6", "GPU7") == "PIX");
  CHECK(cell(gce, "GPU3", "GPU4") == "SYS");
}

TEST_CASE("Minsky and Summit: NVLink to the CPU of the same half") {
  const NodeMatrix minsky = matrix_of({.node = "Minsky"});
  CHECK(cell(minsky, "GPU0", "GPU1") == "NV2");
  CHECK(cell(minsky, "GPU1", "GPU2") == "SYS");
  const NodeMatrix summit = matrix_of({.node = "ibm_ac922_6gpu"});
  CHECK(cell(summit, "GPU0", "GPU2") == "NV2");
  CHECK(cell(summit, "GPU2", "GPU3") == "SYS");
  CHECK(cell(summit, "GPU0", "NIC0") == "NODE");
}

TEST_CASE("an adapter is beside a GPU on a DGX, and on the CPU in p3dn and Summit") {
  const auto beside = [](const char* node) {
    return adapter_beside_gpu(build_node(node_spec(catalog(), node)));
  };
  CHECK(beside("dgx1v_16gb"));
  CHECK(beside("dgx2"));
  CHECK(beside("dgx_h100"));
  CHECK_FALSE(beside("aws_p3dn_24xlarge"));
  CHECK_FALSE(beside("ibm_ac922_6gpu"));
}

TEST_CASE("the matrix of every node is symmetric") {
  for (const std::string& id : catalog().ids("nodes")) {
    CAPTURE(id);
    const Json* rule = catalog().find("nodes", id).json.find("template");
    // A template takes any GPU; one that joins its GPUs by NVLink needs a GPU with such links.
    const std::string chosen = rule == nullptr                   ? ""
                               : rule->find("nvlink") != nullptr ? "v100_sxm2_16gb"
                                                                 : "p100_pcie_16gb";
    const NodeMatrix m = matrix_of({.node = id, .gpu = chosen});
    for (std::size_t i = 0; i < m.cells.size(); ++i) {
      CHECK(m.cells[i][i] == "X");
      for (std::size_t j = 0; j < i; ++j) CHECK(m.cells[i][j] == m.cells[j][i]);
    }
  }
}
