// GPU architectures are data (issue 23, item 17).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_library.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/reliability/failure_rates.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Cluster cluster_of_node(const std::string& name, int nodes, const Catalog& from = catalog()) {
  ClusterShape shape;
  shape.nodes = nodes;
  return make_cluster(from, node_spec(from, name), shape);
}

std::string fact(const std::string& value) {
  return fmt::format(R"({{"value": {}, "unit": "x", "source": "s", "confidence": "memory"}})", value);
}

std::string architecture(const std::string& capability, const std::string& library = "\"nccl\"") {
  return fmt::format(R"({{"name": "Rubin", "vendor": "NVIDIA", "facts": {{
 "generation": {}, "compute_capability": {}, "collective_library": {}, "collective_release": {},
 "failure_era": {}, "replacement_era": {}, "jpeg_engine": {}, "oldest_cudnn": {}, "attention_instructions": {}}}}})",
                     fact("9"), fact(capability), fact(library), fact("\"2.27\""), fact("\"h100_era\""),
                     fact("\"h100\""), fact("\"all\""), fact("\"cudnn8\""), fact("\"own\""));
}

/// The catalogue with a file of its own.
Catalog with(const TemporaryFolder& folder, const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(folder / path).parent_path());
  write_file_atomically(folder / path, text);
  return Catalog::builtin(folder.path());
}

/// A DGX H100's GPU of another architecture.
std::string gpu_text(const std::string& name) {
  return fmt::format(R"({{"name": "Mine", "vendor": "NVIDIA",
 "architecture": "{}", "facts": {{
 "memory_gb": {{"value": 80, "unit": "GB", "source": "s", "confidence": "memory"}},
 "memory_bandwidth_gb_per_s": {{"value": 3000, "unit": "GB/s", "source": "s", "confidence": "memory"}},
 "fp32_tflops": {{"value": 60, "unit": "TFLOP/s", "source": "s", "confidence": "memory"}},
 "tdp_w": {{"value": 700, "unit": "W", "source": "s", "confidence": "memory"}},
 "sm_count": {}, "nvlink_generation": {}, "nvlink_links": {}}}}})",
                     name, fact("132"), fact("4"), fact("18"));
}

/// A catalogue with an architecture, a GPU and a node "mine" of one's own.
Catalog made_up(const TemporaryFolder& folder, const std::string& library = R"("nccl")") {
  (void)with(folder, "architectures/rubin.json", architecture("11.0", library));
  std::filesystem::create_directories(folder / "nodes");
  std::string node = read_file(std::string{RACKCAST_SOURCE_DIR} + "/topologies/data/nodes/dgx_h100.json");
  node.replace(node.find("h100_sxm5"), 9, "mine");
  write_file_atomically(folder / "nodes/mine.json", node);
  return with(folder, "gpus/mine.json", gpu_text("Rubin"));
}

}  // namespace

TEST_CASE("issue 23, item 17: an architecture that nobody described is an error that says what to add") {
  const TemporaryFolder folder;
  const std::string text = error_text([&] { (void)with(folder, "gpus/mine.json", gpu_text("Rubin")); });
  CHECK(contains(text, "mine.json:2:"));
  CHECK(contains(text, "nobody described the GPU architecture \"Rubin\""));
  CHECK(contains(text, "architectures/NAME.json"));
  CHECK(contains(text, "Hopper"));
  CHECK(contains(error_text([&] { (void)architecture_distance("Rubin", "Hopper"); }), "Rubin"));
  CHECK(
      contains(error_text([&] { (void)architecture_spec(catalog(), "Hoper"); }), "did you mean \"Hopper\""));
}

TEST_CASE("issue 23, item 17: an architecture of one's own is described by a file alone") {
  const TemporaryFolder folder;
  const Catalog own = made_up(folder);
  const Cluster here = cluster_of_node("mine", 4, own), hopper = cluster_of_node("dgx_h100", 4);
  // Its own release and, from compute capability 9.0 on, NCCL's in-switch reduction.
  const CommLibrary constants{here, {}};
  CHECK(constants.release() == doctest::Approx(2.27));
  CHECK(constants.has_nvls());
  CHECK(CommLibrary{hopper, {}}.release() == doctest::Approx(2.23));
  CHECK(architecture_distance(gpu_rates(here.node.gpu), "Blackwell") == 1);
  CHECK(architecture_distance(gpu_rates(here.node.gpu), "Hopper") == 2);
  CHECK(node_reliability(own, here.node).mtbf.base() ==
        doctest::Approx(node_reliability(catalog(), hopper.node).mtbf.base()));
}

TEST_CASE("issue 23, item 17: the libraries of the architectures that come with the program") {
  struct Row {
    const char* node;
    double version;
    bool tree, ll128, nvls;
  };
  // Trees came with NCCL 2.4, LL128 with 2.5 and Volta's stores, NVLS with 2.17 and Hopper's switches.
  for (const Row& row :
       {Row{"dgx1_p100", 2.00, false, false, false}, Row{"dgx1v_16gb", 2.07, true, true, false},
        Row{"dgx_a100_640gb", 2.12, true, true, false}, Row{"dgx_h100", 2.23, true, true, true},
        Row{"dgx_b200", 2.23, true, true, true}}) {
    CAPTURE(row.node);
    const Cluster cluster = cluster_of_node(row.node, 1);
    const CommLibrary constants{cluster, {}};
    CHECK(constants.release() == doctest::Approx(row.version));
    CHECK(constants.cost(Protocol::simple, true).has_value() == row.tree);
    CHECK(constants.cost(Protocol::ll128, false).has_value() == row.ll128);
    CHECK(constants.has_nvls() == row.nvls);
  }
  CHECK(architecture_distance("Kepler", "Blackwell") == 8);
  CHECK(architecture_distance("CDNA 2", "CDNA 3") == 1);
  CHECK(architecture_distance("CDNA 3", "Hopper") == 4);
}

TEST_CASE(
    "issue 23, item 17: GPUs without a library are refused with the reason, and work with another transport "
    "or alone") {
  const TemporaryFolder folder;
  const Catalog own = made_up(folder, R"("none")");
  const Cluster cluster = cluster_of_node("mine", 1, own);
  const std::string text = error_text([&] { CommModel model{cluster, {}}; });
  CHECK(contains(text, "no library that works between GPUs"));
  CHECK(contains(text, "transport"));
  CommModel mpi{cluster, {.transport = "mpi"}};
  CHECK(mpi.time(Collective::all_reduce, Bytes{1e6}).base() > 0);
  ClusterShape one;
  one.gpus = 1;
  const Cluster alone = make_cluster(own, node_spec(own, "mine"), one);
  CommModel nothing{alone, {}};
  CHECK(nothing.time(Collective::all_reduce, Bytes{1e6}).base() == 0);
}

TEST_CASE("RCCL meets the published bus bandwidth of MI300X, which nothing was fitted on") {
  // github:stas00/ml-engineering@744d01e1, network/README.md: 4 GiB in 90.1 ms over 2 GPUs and in 24.0 ms
  // over 8, that is 47.7 and 313 GB/s of bus bandwidth. RCCL takes 48 GB/s for a link, and 8 GPUs have 7
  // each.
  const auto bus = [](int gpus) {
    ClusterShape shape;
    shape.gpus = gpus;
    const Cluster cluster = make_cluster(catalog(), node_spec(catalog(), "mi300x_8gpu"), shape);
    CommModel model{cluster, {}};
    const Bytes payload{4294967296.0};
    CHECK(model.log_sigma(payload) == doctest::Approx(0.4));
    return bus_factor(Collective::all_reduce, gpus) *
           (payload / model.time(Collective::all_reduce, payload)).base() / 1e9;
  };
  CHECK(bus(2) == doctest::Approx(47.7).epsilon(0.02));
  CHECK(bus(8) == doctest::Approx(313).epsilon(0.08));
}

TEST_CASE("RCCL has the rings and trees of NCCL with latencies of its own and neither LL128 nor NVLS") {
  const Cluster mi300x = cluster_of_node("mi300x_8gpu", 2), mi250x = cluster_of_node("ornl_frontier_node", 1);
  const CommLibrary cdna3{mi300x, {}}, cdna2{mi250x, {}};
  CHECK(cdna3.release() == doctest::Approx(2.21));
  CHECK(cdna3.cost(Protocol::simple, true).has_value());
  CHECK_FALSE(cdna3.cost(Protocol::ll128, false).has_value());
  CHECK_FALSE(cdna3.has_nvls());
  CHECK(cdna3.cost(Protocol::simple, false)->hop.start.base() == doctest::Approx(17e-6));
  CHECK(cdna3.cost(Protocol::simple, false)->hop.intra.base() == doctest::Approx(2.1e-6));
  CHECK(cdna2.cost(Protocol::simple, false)->hop.intra.base() == doctest::Approx(4.5e-6));
  CHECK(cdna3.log_sigma({}) == doctest::Approx(0.6));  // over several nodes
  CHECK(cdna2.log_sigma({}) == doctest::Approx(0.4));
  CHECK(CommLibrary{cluster_of_node("dgx_h100", 2), {}}.log_sigma({}) ==
        doctest::Approx(0.3));  // by the links
}

TEST_CASE("issue 23, item 17: decoders of images are facts of the GPU or its architecture") {
  CHECK(gpu_spec(catalog(), "a100_sxm4_80gb").jpeg_engine);
  CHECK_FALSE(gpu_spec(catalog(), "a10").jpeg_engine);
  CHECK(gpu_spec(catalog(), "h100_sxm5").jpeg_engine);
  CHECK_FALSE(gpu_spec(catalog(), "v100_sxm2_16gb").jpeg_engine);
  const TemporaryFolder folder;
  const std::string text = error_text([&] { (void)with(folder, "gpus/mine.json", gpu_text("Ampere")); });
  CHECK(contains(text, "jpeg_engine"));
}
