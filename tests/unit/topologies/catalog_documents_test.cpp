// Documents of a user's own: networks, GPUs, nodes, links, clusters (issue 23, items 28, 33, 34).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "models/networks/workload.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/listing.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/listings/topology_target.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/json/schema.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog_check.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/hardware/gpu_spec.hpp"
#include "topologies/hardware/link_spec.hpp"
#include "topologies/hardware/switch_spec.hpp"

using namespace rackcast;

namespace {

/// A folder for --catalog.
class OwnCatalog {
 public:
  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
    write_file_atomically(folder_ / path, text);
  }
  [[nodiscard]] Catalog open() const { return Catalog::builtin(folder_.path()); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  /// What opening it says with this one file in it.
  static std::string refusal(const std::string& path, std::string_view text) {
    const OwnCatalog own;
    own.write(path, text);
    return error_text([&] { (void)own.open(); });
  }

 private:
  TemporaryFolder folder_;
};

std::string fact(const std::string& value, const std::string& unit = "x") {
  return fmt::format(R"({{"value": {}, "unit": "{}", "source": "s", "confidence": "memory"}})", value, unit);
}

std::string gpu(const std::string& more = "", const std::string& architecture = "Hopper") {
  return fmt::format(
      R"({{"name": "Mine", "vendor": "NVIDIA", "architecture": "{}", "facts": {{
 "memory_gb": {}, "memory_bandwidth_gb_per_s": {}, "fp32_tflops": {}, "sm_count": {}, "tdp_w": {}{}}}}})",
      architecture, fact("80", "GB"), fact("2000", "GB/s"), fact("50", "TFLOP/s"), fact("100"),
      fact("300", "W"), more);
}

std::string node(const std::string& facts, const std::string& top = "") {
  return fmt::format(
      "{{\"name\": \"Mine\", \"gpu_id\": \"p100_pcie_16gb\", \"gpu_count\": 4,\n{} \"facts\": {{\n{}}}}}",
      top, facts);
}

}  // namespace

TEST_CASE("issue 23, item 28: every starting file of a network or a piece of hardware is valid and works") {
  const OwnCatalog own;
  own.write("gpus/my_gpu.json", template_text("gpu"));
  own.write("nodes/my_node.json", template_text("node"));
  own.write("links/my_links.json", template_text("link"));
  const TemporaryFolder folder;
  write_file_atomically(folder / "net.json", template_text("network"));
  const Catalog catalog = own.open();
  CHECK(gpu_spec(catalog, "my_gpu").memory->base() == doctest::Approx(80e9));
  CHECK(link_spec(catalog, "my_400g").raw->base() == doctest::Approx(50e9));
  CHECK(link_spec(catalog, "ethernet/my_400g").family == "ethernet");
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 1000000, "bytes_per_sample": "3 kB"}},
 "workloads": [{{"model": "{}", "epochs": 1, "batch_per_gpu": 64, "precision": "fp32"}}],
 "cluster": {{"node": "my_node", "nodes": 2}}}})",
      folder / "net.json");
  const Result result = simulate(read_scenario(parse_json(text, "x.json"), "x.json"), catalog);
  CHECK(!checked_json_text(result).empty());
  for (const Template& part : part_templates()) {
    CAPTURE(part.question);
    CHECK(schema_faults(schema_text(part.question), std::string{template_text(part.question)}) == "");
  }
}

TEST_CASE("issue 23, item 28: all missing facts of a document are listed at once, each with what it is") {
  const std::string text = OwnCatalog::refusal(
      "gpus/mine.json", "{\"name\": \"Mine\",\n \"architecture\": \"Hopper\", \"facts\": {}}");
  for (const char* missing :
       {"\"vendor\" is missing", "\"memory_gb\" is missing", "\"fp32_tflops\" is missing",
        "\"memory_bandwidth_gb_per_s\" is missing", "\"sm_count\" is missing", "\"tdp_w\" is missing",
        "line 2, column", "rackcast schema gpu"})
    CHECK_MESSAGE(contains(text, missing), missing, " in ", text);
  const TemporaryFolder folder;
  write_file_atomically(folder / "net.json", R"({"transformer": {"layers": 2, "hiden": 64}})");
  const std::string network = error_text([&] { (void)load_workload(folder / "net.json"); });
  for (const char* part : {"\"title\" is missing", "\"task\" is missing", "\"source\" is missing",
                           "\"hidden\" is missing", "\"heads\" is missing", "\"vocab\" is missing",
                           "\"seq_len\" is missing", "unknown key \"hiden\"", "rackcast init network"})
    CHECK_MESSAGE(contains(network, part), part, " in ", network);
}

TEST_CASE("a file in the root of the catalogue's folder is refused with the place it belongs in") {
  for (const auto& [name, kind] :
       {std::pair{"gpu", "gpus"}, std::pair{"node", "nodes"}, std::pair{"link", "links"}}) {
    const std::string text = OwnCatalog::refusal("mine.json", template_text(name));
    CHECK_MESSAGE(contains(text, "folder named after its kind"), text);
    CHECK_MESSAGE(contains(text, fmt::format("/{}/mine.json", kind)), text);
  }
  // What is of no kind alone is told all of them.
  const std::string text = OwnCatalog::refusal("a/b/mine.json", R"({"name": "x"})");
  CHECK_MESSAGE(contains(text, "KIND is one of: adapters, architectures"), text);
}

TEST_CASE("a misspelt member of a fact is refused in files of every kind") {
  for (const char* path : {"storage/mine.json", "prices/mine.json", "cables/mine.json", "gpus/mine.json"}) {
    CAPTURE(path);
    const auto with = [&](const std::string& fact) {
      const std::string more = ", \"own\": " + fact;
      return OwnCatalog::refusal(path, std::string_view{path}.starts_with("gpus")
                                           ? gpu(more)
                                           : R"({"name": "x", "facts": {"a": )" + fact + "}}");
    };
    const std::string value =
        with("{\n\"vaule\": 1, \"unit\": \"W\", \"source\": \"s\", \"confidence\": \"memory\"}");
    CHECK_MESSAGE(contains(value, "vaule"), value);
    CHECK_MESSAGE(contains(value, "value"), value);
    const std::string unit =
        with("{\"value\": 1, \"unti\": \"W\", \"source\": \"s\", \"confidence\": \"memory\"}");
    CHECK_MESSAGE(contains(unit, "unti"), unit);
  }
}

TEST_CASE("a large document that is wrong everywhere is refused at once, not after a pass for each fault") {
  std::string text = "{\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("\"x{}\": 1,\n", i);
  text += "\"vendor\": 1}";
  const std::string refusal = OwnCatalog::refusal("gpus/mine.json", text);
  // Besides the 100,001 members, "vendor" of the wrong kind among them, the required ones are missing.
  CHECK(contains(refusal, "the document has 1000"));
  CHECK(contains(refusal, "unknown key \"x0\""));
  CHECK(contains(refusal, "more"));
}

TEST_CASE("issue 23, item 28: files of one's own are shown like entries of the catalogue") {
  const OwnCatalog own;
  own.write("gpu.json", "{}");  // beside the kinds: not opened here
  for (const char* part : {"network", "gpu", "node", "link"}) {
    CAPTURE(part);
    const std::string path = own.path(std::string{part} + "_own.json");
    write_file_atomically(path, template_text(part));
    const std::string shown = show_catalog(Catalog::builtin(), "", path);
    CHECK(contains(shown, "rackcast-table"));
    CHECK(show_catalog(Catalog::builtin(), part, path) == shown);
  }
  const std::string path = own.path("what.json");
  write_file_atomically(path, "{\"name\": \"x\"}");
  CHECK(contains(error_text([&] { (void)show_catalog(Catalog::builtin(), "", path); }), "say the kind"));
}

TEST_CASE("issue 23, item 28: files are named relative to the file that names them") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "net.json", template_text("network"));
  write_file_atomically(folder / "gpu.json", template_text("gpu"));
  std::string box{template_text("node")};
  box.replace(box.find("h100_sxm5"), 9, "gpu.json");
  // Without NVLink of the GPU's own there are no NVSwitches.
  box.replace(box.find("\"nvswitch_count\""), 16, "\"nvswitch_note\"");
  write_file_atomically(folder / "node.json", box);
  write_file_atomically(folder / "scenario.json",
                        R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "3 kB"},
 "workloads": [{"model": "net.json", "epochs": 1, "batch_per_gpu": 64, "precision": "fp32"}],
 "cluster": {"node": "node.json", "nodes": 1}})");
  CHECK_NOTHROW((void)simulate(load_scenario(folder / "scenario.json"), Catalog::builtin()));
}

TEST_CASE("issue 23, item 28: a variant of a network may leave out what it takes from its base") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "v.json",
                        R"({"extends": "resnet50", "title": "Mine", "parameters": {"more3": 2}})");
  CHECK(load_workload(folder / "v.json").title == "Mine");
}

TEST_CASE(
    "issue 23, item 28: the catalogue and the networks that come with the program match their schemas") {
  const Catalog catalog = Catalog::builtin();
  for (const std::string& kind : catalog.kinds())
    for (const std::string& id : catalog.ids(kind)) {
      CAPTURE(kind + "/" + id);
      CHECK_NOTHROW(check_catalog_document(kind, id, catalog.find(kind, id).json));
      CHECK_NOTHROW(read_catalog_entry(catalog, kind, id));
    }
  const Json network = parse_json(std::string{schema_text("network")}, "network");
  for (const auto& file :
       std::filesystem::directory_iterator{std::string{RACKCAST_SOURCE_DIR} + "/models/data/workloads"}) {
    CAPTURE(file.path().string());
    CHECK(meets_schema(parse_json_file(file.path().string()), network));
  }
}

TEST_CASE("issue 23, item 28: our checker and another program agree on documents") {
  const std::string base = gpu();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = base;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const Json schema = parse_json(std::string{schema_text("gpu")}, "gpu");
  const std::string wrong_unit = replaced("\"GB\"", "\"W\""), negative = replaced("80", "-80"),
                    text_for_number = replaced("2000", "\"2000\""),
                    no_source = replaced("\"source\": \"s\", ", ""), fraction = replaced("100", "100.5"),
                    zero = replaced("80", "0"), unknown = replaced("\"vendor\"", "\"vendr\""),
                    confidence = replaced("memory\"}", "sure\"}"), list = "[]", number = "7", empty = "{}";
  CHECK(meets_schema(parse_json(base, "x"), schema));
  CHECK(schema_faults(schema_text("gpu"), base) == "");
  for (const std::string& text : {wrong_unit, negative, text_for_number, no_source, fraction, zero, unknown,
                                  confidence, list, number, empty}) {
    CAPTURE(text);
    CHECK_FALSE(meets_schema(parse_json(text, "x"), schema));
    CHECK_FALSE(schema_faults(schema_text("gpu"), text).empty());
    CHECK_FALSE(OwnCatalog::refusal("gpus/mine.json", text).empty());
  }
}

TEST_CASE("issue 23, item 28: a link of one's own needs a family and a latency") {
  const std::string rate = fmt::format(R"({{"gbit_per_s": {}}})", fact("400", "Gbit/s"));
  CHECK(
      contains(OwnCatalog::refusal("links/mine.json", "{\"name\": \"x\", \"facts\": {\"my\": " + rate + "}}"),
               "family"));
  const OwnCatalog own;
  own.write("links/mine.json",
            "{\"name\": \"x\", \"family\": \"ethernet\", \"facts\": {\"my\": " + rate + "}}");
  const Catalog catalog = own.open();
  CHECK(contains(error_text([&] { (void)link_spec(catalog, "my"); }), "latency_us"));
  CHECK(contains(error_text([&] { (void)link_spec(catalog, "mi"); }), "near matches"));
  CHECK(contains(OwnCatalog::refusal("links/mine.json", R"({"name": "x", "family": "tin", "facts": {}})"),
                 "one of"));
}

TEST_CASE("issue 23, item 33: a cluster without a node is an error at its place, not a crash") {
  const std::string text =
      OwnCatalog::refusal("clusters/mine.json", R"({"name": "My cluster", "node_count": 4})");
  CHECK(contains(text, "clusters/mine.json:1:1"));
  CHECK(contains(text, "\"node_id\" is missing"));
  CHECK(contains(text, "unknown key \"node_count\""));
  CHECK(contains(text, "\"facts\" is missing"));
  CHECK(contains(text, "\"facts/nodes\" is missing"));
  for (const char* node : {"null", "7", "\"no_such_node\"", "\"\"", "[]"}) {
    CAPTURE(node);
    const std::string cluster =
        fmt::format(R"({{"name": "x", "node_id": {}, "facts": {{"nodes": {}}}}})", node, fact("4"));
    CHECK_FALSE(OwnCatalog::refusal("clusters/mine.json", cluster).empty());
  }
  const OwnCatalog own;
  own.write("clusters/mine.json",
            fmt::format(R"({{"name": "x", "node_id": "dgx_h100", "facts": {{"nodes": {}}}}})", fact("4")));
  const Catalog catalog = own.open();
  CHECK(topology_target(catalog, {.name = "mine"}).nodes == 4);
}

TEST_CASE("issue 23, item 33: documents are read through before anything uses them") {
  // Units and names that only the reader knows.
  CHECK(contains(
      OwnCatalog::refusal(
          "nodes/mine.json",
          R"({"name": "x", "gpu_id": "h1000", "gpu_count": 1, "facts": {"cpu_sockets": )" + fact("1") + "}}"),
      "h1000"));
  CHECK(contains(OwnCatalog::refusal("nodes/mine.json", node("\"cpu_sockets\": " + fact("2"))),
                 "inter_socket_link"));
  // A parent that is no switch above, a switch that is its own parent, and one that stands twice.
  const auto tree = [](const std::string& rows) {
    return OwnCatalog::refusal("nodes/mine.json",
                               node("\"cpu_sockets\": " + fact("1") + ", \"pcie_tree\": " + fact(rows)));
  };
  CHECK(contains(tree(R"([{"switch": "a", "cpu": 0, "gpus": [0, 1, 2, 3], "nics": [], "parent": "a"}])"),
                 "earlier in the list"));
  CHECK(contains(
      tree(
          R"([{"switch": "a", "cpu": 0, "gpus": [0, 1], "nics": []}, {"switch": "a", "cpu": 0, "gpus": [2, 3], "nics": []}])"),
      "stands in the list already"));
  CHECK(
      contains(tree(R"([{"switch": "a", "cpu": 0, "gpus": [0, 1, 2], "nics": []}])"), "GPU 3 has no place"));
  CHECK(contains(tree(R"([{"switch": "a", "cpu": 3, "gpus": [0, 1, 2, 3], "nics": []}])"), "no CPU 3"));
  CHECK(contains(tree("[]"), "at least 1 items"));
  for (const char* text : {"", "{", "null", "[]", "7", "\"x\"", "{\"name\": 7}",
                           "{\"name\": \"x\", \"name\": \"y\"}", "\x01\x02\xff"}) {
    CAPTURE(text);
    for (const char* kind :
         {"gpus", "nodes", "clusters", "switches", "links", "storage", "prices", "architectures", "racks"})
      CHECK_FALSE(OwnCatalog::refusal(std::string{kind} + "/mine.json", text).empty());
  }
}

TEST_CASE(
    "issue 23, item 34: more devices than the graph can number are refused on load, with the field's name") {
  const auto refused = [](const std::string& name, const std::string& value, const std::string& rest = "") {
    const std::string text =
        OwnCatalog::refusal("nodes/mine.json", node("\"" + name + "\": " + fact(value) + rest));
    INFO(text);
    CHECK(contains(text, "mine.json:3:"));
    CHECK((contains(text, "at most") || contains(text, "must lie between")));
    return text;
  };
  const std::string one_cpu = ", \"cpu_sockets\": " + fact("1");
  CHECK(contains(refused("cpu_sockets", "70000"), "/facts/cpu_sockets/value"));
  CHECK(contains(refused("cpu_sockets", "1e300"), "/facts/cpu_sockets/value"));
  CHECK(contains(refused("nvswitch_count", "65536", one_cpu), "/facts/nvswitch_count/value"));
  CHECK(contains(refused("nics_compute",
                         R"({"count": 70000, "gbit_per_s_per_port": 100, "kind": "InfiniBand"})", one_cpu),
                 "count"));
  CHECK(contains(
      OwnCatalog::refusal(
          "switches/mine.json",
          fmt::format(
              R"({{"name": "x", "fabric": "InfiniBand EDR", "facts": {{"ports": {}, "port_gbit_per_s": {}}}}})",
              fact("70000"), fact("100", "Gbit/s"))),
      "/facts/ports/value"));
  CHECK(contains(OwnCatalog::refusal("gpus/mine.json", gpu(", \"nvlink_links\": " + fact("70000"))),
                 "/facts/nvlink_links/value"));
  CHECK(contains(OwnCatalog::refusal("gpus/mine.json", gpu(", \"gpus_per_board\": " + fact("70000"))),
                 "/facts/gpus_per_board/value"));
  CHECK(contains(
      OwnCatalog::refusal("nodes/mine.json",
                          R"({"name": "x", "gpu_id": "k80", "gpu_count": 70000, "facts": {"cpu_sockets": )" +
                              fact("1") + "}}"),
      "/gpu_count"));
}

TEST_CASE("issue 23, item 36: a memory slower than a megabyte in a second is refused at its field") {
  const auto refused = [](const std::string& rate) {
    std::string text = gpu();
    const std::string was = fact("2000", "GB/s");
    text.replace(text.find(was), was.size(), fact(rate, "GB/s"));
    return OwnCatalog::refusal("gpus/mine.json", text);
  };
  CHECK(contains(refused("0.0009"), "mine.json:2:"));
  CHECK(contains(refused("0.0009"), "\"memory_bandwidth_gb_per_s\" must be at least 1 MB/s"));
  CHECK(contains(refused("1e-10"), "memory_bandwidth_gb_per_s"));
  CHECK(refused("0.001").empty());
}

TEST_CASE(
    "issue 23, item 34: separate networks of every port have no more switches than the graph can number") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec box =
      node_spec(catalog, {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1024, .nic_link = "edr"});
  const std::string text = error_text(
      [&] { (void)plan_fabric(catalog, box, 5000, {.leaf_switch = "sb7800", .rails = RailPlan::separate}); });
  CHECK(contains(text, "1024 separate networks"));
  CHECK(contains(error_text([&] { (void)plan_fabric(catalog, box, 1'000'000); }), "ports"));
}
