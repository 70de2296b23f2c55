// Networks and hardware of a user's own on the command line (issue 23, items 28, 31, 32, 33).
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

TEST_CASE("issue 23, item 28: a GPU, a node, a link and a network are started, checked, shown and used") {
  const TemporaryFolder folder;
  const std::string own = folder / "own";
  for (const char* kind : {"/gpus", "/nodes", "/links"}) std::filesystem::create_directories(own + kind);
  CHECK(run("init gpu -o " + own + "/gpus/my_gpu.json").code == 0);
  CHECK(run("init node -o " + own + "/nodes/my_node.json").code == 0);
  CHECK(run("init link -o " + own + "/links/my_links.json").code == 0);
  CHECK(run("init network -o " + folder / "net.json").code == 0);
  for (const char* name : {"network", "gpu", "node", "link", "cluster", "switch", "architecture"}) {
    const Outcome schema = run(std::string{"schema "} + name);
    CHECK(schema.code == 0);
    CHECK(has(schema, "draft-07"));
  }
  const Outcome shown = run("catalog show " + own + "/gpus/my_gpu.json");
  CHECK(shown.code == 0);
  CHECK(has(shown, "My GPU"));
  CHECK(has(run("catalog show " + folder / "net.json"), "Small residual network"));
  CHECK(has(run("topology show " + own + "/nodes/my_node.json"), "NV18"));
  CHECK(has(run("catalog list gpus --catalog " + own), "my_gpu"));
  const std::string scenario = folder / "scenario.json";
  write_file_atomically(scenario, R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "3 kB"},
 "workloads": [{"model": "net.json", "epochs": 1, "batch_per_gpu": 64, "precision": "mixed"}],
 "cluster": {"node": "my_node", "nodes": 4, "fabric": {"rails": "separate"}}})");
  CHECK(run("simulate " + scenario + " --catalog " + own).code == 0);
  CHECK(has(run("init"), "network"));
  CHECK(run("init gpuu").code == 2);
}

TEST_CASE("issue 23, item 28: a node in a file of its own stands in racks, draws power and is on the bill") {
  const TemporaryFolder folder;
  CHECK(run("init node -o " + folder / "dgx1v_16gb.json").code == 0);  // named like one of the catalogue
  const std::string scenario = folder / "scenario.json";
  write_file_atomically(scenario, R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "3 kB"},
 "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 64, "precision": "mixed"}],
 "cluster": {"node": "dgx1v_16gb.json", "nodes": 4}, "site": {"prices": {"date": "2024-01-01"}}})");
  const Outcome answer = run("simulate --full " + scenario);
  CHECK(answer.code == 0);
  CHECK(has(answer, "My server"));
  CHECK_FALSE(has(answer, "DGX-1"));
}

TEST_CASE("a made-up GPU of a made-up architecture of a made-up maker is files only, up to the report") {
  const TemporaryFolder folder;
  const std::string made_up = folder / "made_up/";
  for (const char* kind : {"gpus", "nodes", "architectures"})
    std::filesystem::create_directories(made_up + kind);
  const auto fact = [](const char* key, const char* value, const char* unit) {
    return std::string{"\n \""} + key + "\": {\"value\": " + value + ", \"unit\": \"" + unit +
           "\", \"source\": \"made up\", \"confidence\": \"memory\"},";
  };
  const auto file = [&](const std::string& path, const std::string& head, std::string facts) {
    facts.pop_back();
    write_file_atomically(made_up + path, "{" + head + ", \"facts\": {" + facts + "}}");
  };
  file("architectures/basalt.json", R"("name": "Basalt", "vendor": "Acme")",
       fact("generation", "0", "place") + fact("collective_library", "\"rccl\"", "text") +
           fact("failure_era", "\"h100_era\"", "group") + fact("replacement_era", "\"h100\"", "prefix") +
           fact("jpeg_engine", "\"none\"", "text") + fact("oldest_cudnn", "\"cudnn8\"", "generation") +
           fact("attention_instructions", "\"shared\"", "text"));
  file("gpus/acme_one.json", R"("name": "Acme One", "vendor": "Acme", "architecture": "Basalt")",
       fact("memory_gb", "128", "GB") + fact("memory_bandwidth_gb_per_s", "4000", "GB/s") +
           fact("fp32_tflops", "100", "TFLOP/s") + fact("fp16_tensor_tflops", "800", "TFLOP/s") +
           fact("sm_count", "200", "units") + fact("tdp_w", "600", "W"));
  file("nodes/acme_node.json", R"("name": "Acme server", "gpu_id": "acme_one", "gpu_count": 8)",
       fact("cpu_sockets", "2", "sockets") + fact("inter_socket_link", "\"amd_infinity\"", "key") +
           fact("nics_compute", R"({"count": 8, "gbit_per_s_per_port": 400, "kind": "InfiniBand NDR"})",
                "NICs") +
           fact("max_power_w", "7000", "W") + fact("rack_units", "8", "RU"));
  const std::string own = " --catalog " + made_up;
  for (const char* cluster : {R"("gpus_per_job": 1, "nodes": 1)", R"("nodes": 2)"}) {
    CAPTURE(cluster);
    write_file_atomically(
        folder / "s.json",
        std::string{R"({"name": "x", "data": {"samples": 1281167, "bytes_per_sample": "0.1 MB"},
 "workloads": [{"model": "resnet50", "epochs": 9, "batch_per_gpu": 64, "precision": "mixed"}],
 "storage": {"array": "none"}, "site": {}, "cluster": {"node": "acme_node", )"} +
            cluster + "}}");
    const Outcome out = run("simulate " + folder / "s.json" + own + " --full");
    CHECK_MESSAGE(out.code == 0, out.output);
    CHECK(has(out, "Acme server"));
    CHECK(has(out, "While it trains the IT draws"));
    const Outcome page = run("simulate " + folder / "s.json" + own + " -o " + folder / "s.html");
    CHECK_MESSAGE(page.code == 0, page.output);
    CHECK(std::filesystem::file_size(folder / "s.html") > 10'000);
  }
  const Outcome answers = run("inference resnet50 --gpu acme_one" + own);
  CHECK_MESSAGE(answers.code == 0, answers.output);
  CHECK(has(answers, "Acme One"));
}

TEST_CASE("issue 23, item 31: rails of their own work on DGX H100") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "s.json",
                        R"({"name": "x", "data": {"samples": 1281167, "bytes_per_sample": "0.1 MB"},
 "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 64, "precision": "mixed"}],
 "cluster": {"node": "dgx_h100", "nodes": 16, "fabric": {"rails": "separate"}}})");
  const Outcome out = run("simulate " + folder / "s.json");
  CHECK_MESSAGE(out.code == 0, out.output);
}

TEST_CASE("issue 23, item 33: broken catalogue documents are errors with file, line and column") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / path).parent_path());
    write_file_atomically(folder / path, text);
    const Outcome out = run("topology show mine --catalog " + folder.path());
    std::filesystem::remove_all(std::filesystem::path(folder / path).parent_path());
    CHECK_MESSAGE(out.code == 3, out.output);
    CHECK_MESSAGE(has(out, path + ":1:"), out.output);
    return out;
  };
  const Outcome cluster = refused("clusters/mine.json", R"({"name": "My cluster", "node_count": 4})");
  CHECK(has(cluster, "\"node_id\" is missing"));
  (void)refused("nodes/mine.json", R"({"name": "x", "gpu_id": "v100", "gpu_count": -1, "facts": {}})");
  (void)refused("gpus/mine.json", R"({"name": "x", "facts": 7})");
  (void)refused("clusters/mine.json", std::string{"{\"name\": \"x\xff\"}"});
  (void)refused("clusters/mine.json", "{\"name\": ");
}

TEST_CASE(
    "issue 23, item 33: a folder in the place of a file of the catalogue, is left out, and a broken link is "
    "an error") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "gpus/mine.json");
  std::filesystem::create_symlink("/no/such/file", folder / "gpus/other.json");
  const Outcome out = run("catalog list gpus --catalog " + folder.path());
  CHECK(out.code == 3);
  CHECK(has(out, "gpus/other.json"));
}

TEST_CASE("issue 23, item 32: the catalogue answers natural words on the command line") {
  CHECK(has(run("catalog list networks"), "resnet50"));
  CHECK(has(run("catalog list workloads"), "resnet50"));
  CHECK(has(run("catalog list frameworks"), "pytorch"));
  const Outcome typo = run("catalog list swiches");
  CHECK(typo.code == 3);
  CHECK(has(typo, "did you mean \"switches\"?"));
}
