// Refusals that name the place and the way out, and boxes that say what they show.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

/// 40 nodes of one port on a network.
std::string forty_nodes(const std::string& fabric) {
  return R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "3 kB"},
 "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32, "precision": "mixed"}],
 "cluster": {"node": "dgx1v_16gb", "nodes": 40, "fabric": )" +
         fabric + "}}";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("more ports down than a leaf switch has are refused at their place, and 0 is not set") {
  const TemporaryFolder folder;
  const std::string file = folder / "s.json";
  write_file_atomically(file, forty_nodes(R"({"kind": "two_level", "down_ports": 5000})"));
  const Outcome out = run("simulate " + file);
  CHECK(out.code == 3);
  CHECK_MESSAGE(has(out, "s.json:3:"), out.output);
  CHECK_MESSAGE(has(out, "5000 ports of a leaf are asked for"), out.output);
  CHECK(has(out, "down_ports"));
  write_file_atomically(file, forty_nodes(R"({"kind": "two_level", "down_ports": 0})"));
  CHECK(run("simulate " + file).code == 0);
}

TEST_CASE("links between AMD GPUs of one's own are asked for by their name, family and file") {
  const TemporaryFolder folder;
  const std::string data = std::string{RACKCAST_SOURCE_DIR} + "/topologies/data/";
  for (const char* kind : {"gpus", "nodes", "links"}) std::filesystem::create_directories(folder / kind);
  write_file_atomically(folder / "gpus/my_amd.json", read_file(data + "gpus/mi300x.json"));
  write_file_atomically(folder / "nodes/my_node.json",
                        replaced(read_file(data + "nodes/mi300x_8gpu.json"), R"("mi300x")", R"("my_amd")"));
  const Outcome out = run("topology show my_node --catalog " + folder.path());
  CHECK(out.code == 3);
  CHECK_MESSAGE(has(out, "\"family\": \"xgmi\""), out.output);
  CHECK_MESSAGE(has(out, "\"my_amd\" under \"facts\""), out.output);
  write_file_atomically(folder / "links/my_links.json", R"({"name": "my links", "family": "xgmi", "facts": {
    "my_amd": {"link_gb_per_s_per_direction":
      {"value": 64, "unit": "GB/s", "source": "made up", "confidence": "memory"},
      "latency_us": {"value": 2, "unit": "us", "source": "made up", "confidence": "memory"}}}})");
  const Outcome shown = run("topology show my_node --catalog " + folder.path());
  CHECK_MESSAGE(shown.code == 0, shown.output);
}

TEST_CASE("a report of a document that says nothing about itself names the formats that there are") {
  const TemporaryFolder folder;
  for (const char* text : {"{}", R"({"report": {}})"}) {
    write_file_atomically(folder / "x.json", text);
    const Outcome out = run("report " + folder / "x.json");
    CHECK(out.code == 3);
    CHECK_MESSAGE(has(out, "x.json:1:1"), out.output);
    CHECK(has(out, "rackcast-result"));
    CHECK(has(out, "rackcast-campaign"));
  }
}

TEST_CASE("bash completes commands, their options and file names") {
  const TemporaryFolder folder;
  const Outcome script = run("completion bash");
  REQUIRE(script.code == 0);
  write_file_atomically(folder / "completion.bash", script.output);
  const auto completed = [&](const std::string& words) {
    write_file_atomically(folder / "ask.bash", ". " + folder / "completion.bash" + "; COMP_WORDS=(" + words +
                                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rackcast; " +
                                                   "printf '%s\\n' \"${COMPREPLY[@]}\" >" + folder / "words");
    CHECK(std::system(("bash " + folder / "ask.bash").c_str()) == 0);
    return "\n" + read_file(folder / "words");
  };
  CHECK(completed("rackcast si").find("\nsize\n") != std::string::npos);
  CHECK(completed("rackcast si").find("\nsimulate\n") != std::string::npos);
  CHECK(completed("rackcast catalog li").find("\nlist\n") != std::string::npos);
  CHECK(completed("rackcast size --ob").find("\n--objective\n") != std::string::npos);
  CHECK(completed("rackcast size /usr/bin/en").find("\n/usr/bin/env\n") != std::string::npos);
  // Options of one command are none of another.
  CHECK(completed("rackcast merge --ob").find("--objective") == std::string::npos);
  for (const char* shell : {"zsh", "fish"}) CHECK(has(run(std::string{"completion "} + shell), "rackcast"));
  CHECK(run("completion tcsh").code == 2);
}
