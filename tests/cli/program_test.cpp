// The program as a user runs it: exit codes, messages, and that broken input neither crashes it nor leaves
// files.
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

const std::string kFleet = "scenarios/fleet_very_conservative.json";

}  // namespace

TEST_CASE("the fleet question is answered on the terminal and as files") {
  const TemporaryFolder folder;
  const Outcome out = run("size " + kFleet + " -o " + folder / "a.html" + " -o " + folder / "a.md" + " -o " +
                          folder / "a.json");
  CHECK(out.code == 0);
  CHECK(has(out, "DGX-1V"));
  CHECK(read_file(folder / "a.html").starts_with("<!doctype html>"));
  CHECK(read_file(folder / "a.json").find("\"rackcast-result\"") != std::string::npos);
  const Outcome again = run("report " + folder / "a.json" + " -o " + folder / "b.html");
  CHECK(again.code == 0);
  CHECK(read_file(folder / "b.html") == read_file(folder / "a.html"));
}

TEST_CASE("a report of a scenario is that of the question that it asks") {
  const TemporaryFolder folder;
  const Outcome sized = run("report " + kFleet + " -o " + folder / "a.md");
  CHECK(sized.code == 0);
  CHECK(has(sized, "DGX-1V"));
  CHECK(read_file(folder / "a.md").find("## Why, and what would change it") != std::string::npos);
  const Outcome simulated = run("report scenarios/saturn_v.json -o " + folder / "b.json");
  CHECK(simulated.code == 0);
  CHECK(read_file(folder / "b.json").find("\"kind\": \"simulate\"") != std::string::npos);
  CHECK(run("report " + folder / "b.json" + " --top 3").code == 2);
}

TEST_CASE(
    "the decision names the precision, and one that the GPU does not have is exit code 3 with its place" *
    doctest::test_suite("long")) {
  const Outcome sized = run("size " + kFleet);
  CHECK(sized.code == 0);
  CHECK(has(sized, "precision: mixed"));
  const Outcome refused = run("size " + kFleet + " --set workloads.0.precision=bf16");
  CHECK(refused.code == 3);
  CHECK(has(refused, "does not support bf16 for training"));
  CHECK(has(refused, "supported for training: fp32, fp16, mixed"));
  CHECK(run("generation llama3-8b --node dgx_a100_640gb --precision fp8 --prompt 100 --output 100").code ==
        3);
}

TEST_CASE(
    "issue 23, item 30: a language model is served token by token; without lengths it is exit code 3 with a "
    "hint") {
  const TemporaryFolder folder;
  const std::string file = folder / "chat.json";
  CHECK(run("init tokens -o " + file).code == 0);
  CHECK(run("check " + file).code == 0);
  const Outcome sized = run("size " + file + " --full -o " + folder / "a.json -o " + folder / "a.md");
  CHECK(sized.code == 0);
  CHECK(has(sized, "Per output token"));
  CHECK(has(sized, "tokens/s"));
  CHECK(read_file(folder / "a.md").find("Cost of a million tokens") != std::string::npos);
  CHECK(run("size " + file + " --set serving.token=\"1 ms\"").code == 4);
  const Outcome wrong = run("size scenarios/inference_fleet.json --set serving.model=llama3-8b");
  CHECK(wrong.code == 3);
  CHECK(has(wrong, "inference_fleet.json:9:14:"));
  CHECK(has(wrong, "rackcast generation"));
}

TEST_CASE("a fleet that serves is sized, simulated, checked and reported; an impossible one is exit code 4") {
  const TemporaryFolder folder;
  const std::string fleet = "scenarios/inference_fleet.json";
  const Outcome sized =
      run("size " + fleet + " -o " + folder / "a.json -o " + folder / "a.html -o " + folder / "a.csv");
  CHECK(sized.code == 0);
  CHECK(has(sized, "880,000 requests/s"));
  CHECK(read_file(folder / "a-serving-2.csv").find("int8") != std::string::npos);
  CHECK(run("report " + folder / "a.json -o " + folder / "b.html").code == 0);
  CHECK(read_file(folder / "a.html") == read_file(folder / "b.html"));
  CHECK(run("check " + fleet).code == 0);
  CHECK(run("simulate " + fleet + " --set cluster.nodes=1 --set serving.availability=null").code == 3);
  CHECK(run("size " + fleet + " --set serving.latency=\"1 us\"").code == 4);
  CHECK(run("size " + fleet + " --set serving.latency=\"0 s\"").code == 3);
  CHECK(run("size " + fleet + " --set serving.rate=\"-1/s\"").code == 3);
  CHECK(run("size " + fleet + " --set cluster.node=no_such").code == 3);
  CHECK(run("campaign " + fleet).code == 3);
  CHECK(
      has(run("uncertainty " + fleet + " --samples 16 --set serving.rate=300000..500000/s"), "serving.rate"));
  CHECK(run("explain " + fleet).code == 3);
  // Of stated nodes with an availability, what the busiest hour does not take is spare.
  CHECK(run("sweep " + fleet + " --vary cluster.nodes=1..2 --db " + folder / "a.db").code == 0);
  CHECK(run("sweep " + fleet + " --vary serving.rate=1000/s,2000/s --db " + folder / "b.db --csv " +
            folder / "b.csv")
            .code == 0);
  CHECK(read_file(folder / "b.csv").find("dgx") != std::string::npos);
  CHECK(run("simulate " + fleet + " --trace " + folder / "t.json").code == 2);
}

TEST_CASE("a campaign is a page, too, from the scenario and from its document") {
  const TemporaryFolder folder;
  const std::string team = "scenarios/dgx_pod_team_dgx1.json";
  const Outcome out =
      run("campaign " + team + " -o " + folder / "a.json -o " + folder / "a.html -o " + folder / "a.csv");
  CHECK(out.code == 0);
  CHECK(has(out, "Half of the jobs of developers wait"));
  CHECK(read_file(folder / "a-waits.csv").starts_with("Stream,Jobs,"));
  CHECK(run("report " + folder / "a.json -o " + folder / "b.html").code == 0);
  CHECK(read_file(folder / "a.html") == read_file(folder / "b.html"));
  CHECK(run("report " + team + " -o " + folder / "c.md").code == 0);
  CHECK(run("campaign " + team + " -o " + folder / "c.docx").code == 2);
}

TEST_CASE("explain finds the node of a named cluster") {
  const Outcome out = run("explain scenarios/saturn_v.json --top 3");
  CHECK(out.code == 0);
  CHECK(has(out, "Tesla V100"));
}

TEST_CASE("the ending of a name chooses the format; an unknown one stops before the work") {
  const TemporaryFolder folder;
  const std::string result = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/fleet_feasible.json";
  const Outcome out = run("report " + result + " -o " + folder / "a.csv" + " -o " + folder / "a.xlsx" +
                          " -o " + folder / "a.md" + " -o " + folder / "a.html");
  CHECK(out.code == 0);
  CHECK(read_file(folder / "a-alternatives-details.csv").starts_with("Workload,Node type,Nodes,"));
  CHECK(std::filesystem::file_size(folder / "a.xlsx") > 4000);
  CHECK(std::filesystem::file_size(folder / "a.html") < 3'000'000);
  CHECK(run("size /no/such/scenario.json -o " + folder / "a.docx").code == 2);
}

TEST_CASE("a fault of a document is told with its file, line and column, and nothing is written") {
  const TemporaryFolder folder;
  const std::string text =
      read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/fleet_feasible.json");
  const auto refused = [&](std::string damaged, const std::string& place) {
    CAPTURE(place);
    write_file_atomically(folder / "mine.json", damaged);
    const Outcome out = run("report " + folder / "mine.json" + " -o " + folder / "a.html");
    CHECK(out.code == 3);
    CHECK(out.output.find(folder / "mine.json" + place) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "a.html"));
  };
  refused("{\"format\": \"rackcast-result\", \"version\": 4,\n \"kind\": 7}", ":2:10");
  refused("{\"format\": \"rackcast-result\", \"version\": 9}", ":1:");
  refused("{\"format\": \"rackcast-campaign\",\n \"version\": 3}", ":2:13");
  refused(text.substr(0, text.size() / 2), ":");
  refused("[1, 2]", ":1:1");
  refused("", "");
}

TEST_CASE("without Chromium a PDF is an error that says what to do, and nothing is written") {
  const TemporaryFolder folder;
  const std::string result = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/fleet_feasible.json";
  const std::string command = "PATH=/nonexistent '" RACKCAST_PROGRAM "' report " + result + " -o " +
                              folder / "a.html" + " -o " + folder / "a.pdf" + " 2>" + folder / "message" +
                              " >" + folder / "output";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 3);
  CHECK(read_file(folder / "message").find("install chromium") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "a.html"));
}

TEST_CASE("the guide shows what the demo really prints" * doctest::test_suite("long")) {
  const std::string path = std::string{RACKCAST_SOURCE_DIR} + "/docs/guide/first_answer.md";
  const std::string page = read_file(path);
  const std::string begin = "by tests/cli -->\n```text\n", end = "```\n<!-- demo-end -->";
  const auto from = page.find(begin) + begin.size();
  const auto until = page.find(end);
  REQUIRE(from < until + end.size());
  const std::string shown = page.substr(from, until - from);
  const Outcome out = run("size " + kFleet);
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) {
    write_file_atomically(path, page.substr(0, from) + out.output + page.substr(until));
    return;
  }
  INFO("RACKCAST_UPDATE_GOLDEN=1 writes the output into the page");
  CHECK(shown == out.output);
}

TEST_CASE("the same question gives the same bytes" * doctest::test_suite("long")) {
  CHECK(run("size " + kFleet + " --json").output == run("size " + kFleet + " --json").output);
}

TEST_CASE("an impossible deadline is an answer: exit code 4 and the conflict") {
  const Outcome out = run("size " + kFleet + " --set goal.deadline='1 min'");
  CHECK(out.code == 4);
  CHECK(has(out, "deadline"));
}

TEST_CASE("a batch that does not fit the GPU is infeasible and says what would fit") {
  const Outcome out =
      run("size " + kFleet + " --set goal.max_nodes=8 --set workloads.0.batch_per_gpu=100000");
  CHECK(out.code == 4);
  CHECK(has(out, "samples fit"));
}

TEST_CASE("an objective is chosen by a flag, and an unknown one is refused" * doctest::test_suite("long")) {
  const Outcome fast = run("size " + kFleet + " --set goal.max_nodes=20 --objective fastest");
  CHECK(fast.code == 0);
  CHECK(has(fast, "20 × NVIDIA DGX-1V"));
  CHECK(run("size " + kFleet + " --objective cheapest").code == 2);
  const Outcome priced = run("size scenarios/storage_bound_site.json --objective lowest-cost");
  CHECK(priced.code == 3);
  CHECK(has(priced, "needs prices"));
}

TEST_CASE("Ctrl-C ends a search with what it has found") {
  // Four designs up to a thousand nodes, by energy: far longer than two seconds.
  const std::string command =
      "cd '" + std::string{RACKCAST_SOURCE_DIR} +
      "' && timeout --preserve-status -s INT 2 '" RACKCAST_PROGRAM
      "' size scenarios/fleet_alternatives.json --objective lowest-energy --set goal.max_nodes=1024 --set "
      "site.prices.budget='\"9 billion USD\"' --set site.power.feed='\"900 MW\"' --set "
      "site.racks.max_racks=9000 "
      "--set search.batch_per_gpu='{\"from\":1,\"to\":512,\"times\":1.1}' --json";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), got);
  const int status = pclose(pipe);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(output.find("\"partial\": true") != std::string::npos);
}

TEST_CASE("a data set that does not fit the storage is infeasible") {
  const Outcome out = run("size " + kFleet + " --set storage.count=1");
  CHECK(out.code == 4);
  CHECK(has(out, "does not fit the storage"));
}

TEST_CASE("--set may be repeated, before and after the file") {
  const Outcome out = run("check --set goal.max_nodes=4 " + kFleet + " --set seed=2 --set data.fleet.days=1");
  CHECK(out.code == 0);
}

TEST_CASE("unknown names list near matches and point at the scenario") {
  const Outcome model = run("size " + kFleet + " --set workloads.0.model=inceptoin-v3");
  CHECK(model.code == 3);
  CHECK(has(model, "inception-v3"));
  const Outcome node = run("check " + kFleet + " --set cluster.node=dgx1v_16g");
  CHECK(node.code == 3);
  CHECK(has(node, "dgx1v_16gb"));
  CHECK(run("catalog show gpu p1000_sxm2").code == 3);
}

TEST_CASE("a wrong command line is exit code 2") {
  for (const char* arguments : {"", "siez", "size", "size --nonsense x", "init nonsense", "schema nonsense",
                                "size scenarios/fleet_conservative.json -o x.docx"}) {
    CAPTURE(arguments);
    CHECK(run(arguments).code == 2);
  }
  CHECK(has(run("siez x.json"), "did you mean `rackcast size`?"));
}

TEST_CASE("broken scenarios are exit code 3 with one message and no file left behind") {
  const TemporaryFolder folder;
  const std::string good = read_file(std::string{RACKCAST_SOURCE_DIR} + "/" + kFleet);
  const auto variant = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::string broken[] = {
      "",                               // empty
      good.substr(0, good.size() / 2),  // truncated
      std::string("\x7f"
                  "ELF\0\1\2\xff\xfe",
                  9),                                            // binary
      "[]",                                                      // wrong type
      variant("\"1 TB/h\"", "\"1 TB\""),                         // wrong dimension
      variant("\"1 TB/h\"", "1e12"),                             // no unit
      variant("\"vehicles\": 100", "\"vehicles\": -100"),        // negative
      variant("\"vehicles\": 100", "\"vehicles\": 1e400"),       // huge
      variant("\"seed\": 1,", "\"seed\": 1, \"seed\": 2,"),      // repeated
      variant("\"data\": {", "\"dta\": {"),                      // misspelt
      variant("\"name\"", "\"extends\": \"s.json\", \"name\""),  // extends itself
      variant("\"kept\": 0.0005", "\"kept\": 5"),                // out of range
      std::string(200000, '['),                                  // deep
  };
  int number = 0;
  for (const std::string& text : broken) {
    CAPTURE(number++);
    write_file_atomically(folder / "s.json", text);
    const Outcome out = run("size " + folder / "s.json" + " -o " + folder / "out.html");
    CHECK(out.code == 3);
    CHECK(has(out, "error: "));
    CHECK(has(out, "s.json"));
    CHECK_FALSE(std::filesystem::exists(folder / "out.html"));
  }
  CHECK(run("size " + folder.path()).code == 3);  // a folder
  CHECK(run("size " + folder / "missing.json").code == 3);
  CHECK(run("size /dev/zero").code == 3);
}

TEST_CASE("a report that cannot be written is an error, and nothing is left") {
  const TemporaryFolder folder;
  CHECK(run("size " + kFleet + " -o " + folder / "no/such/folder/out.html").code == 3);
}

TEST_CASE(
    "issue 23, item 27: of several reports none is written where one cannot be, and nothing is simulated") {
  const TemporaryFolder folder;
  const Outcome out =
      run("size " + kFleet + " -o " + folder / "a.json" + " -o " + folder / "none/b.html" + " -o x.html", 20);
  CHECK(out.code == 3);
  CHECK(has(out, "cannot write: there is no folder"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.json"));
  CHECK_FALSE(std::filesystem::exists("x.html"));
}

TEST_CASE("a starting file is not overwritten") {
  const TemporaryFolder folder;
  CHECK(run("init fleet -o " + folder / "mine.json").code == 0);
  CHECK(run("check " + folder / "mine.json").code == 0);
  CHECK(run("init fleet -o " + folder / "mine.json").code == 2);
}

TEST_CASE("the shipped framework profiles are what their cases give, byte for byte" *
          doctest::test_suite("shipped data")) {
  const TemporaryFolder folder;
  CHECK(run("calibrate frameworks --cases tests/validation/cases -o " + folder / "new", 600).code == 0);
  const std::string shipped = std::string{RACKCAST_SOURCE_DIR} + "/models/data/frameworks";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{shipped}) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK(read_file(folder / ("new/" + name)) == read_file(entry.path().string()));
    ++files;
  }
  CHECK(files > 10);
}

TEST_CASE("the shipped links of collectives are what their curves give, byte for byte" *
          doctest::test_suite("shipped data")) {
  const TemporaryFolder folder;
  const std::string curves = "--cases calibrate/data/collectives --cases tests/validation/cases/modern ";
  CHECK(run("calibrate collectives " + curves + "-o " + folder / "links.json").code == 0);
  const std::string shipped = std::string{RACKCAST_SOURCE_DIR} + "/models/data/collectives/links.json";
  CHECK(read_file(folder / "links.json") == read_file(shipped));
}

TEST_CASE("links of collectives cannot be fitted without their curves") {
  const TemporaryFolder folder;
  const Outcome out =
      run("calibrate collectives --cases calibrate/data/collectives -o " + folder / "links.json");
  CHECK(out.code == 3);
  CHECK(has(out, "on which \"nvlink/nvlink3+nvswitch\" is fitted"));
  CHECK_FALSE(std::filesystem::exists(folder / "links.json"));
  CHECK(run("calibrate collectives --cases " + folder / "none").code == 3);
  std::string text =
      read_file(std::string{RACKCAST_SOURCE_DIR} + "/calibrate/data/collectives/all_reduce.json");
  const std::string value = "\"value\": ";
  const std::size_t at = text.find(value, text.find("vtrain-v100-3gpu-2097152")) + value.size();
  text.replace(at, text.find(',', at) - at, "0");
  write_file_atomically(folder / "zero.json", text);
  const Outcome zero =
      run("calibrate collectives --cases calibrate/data/collectives/in_node.json --cases " +
          folder / "zero.json" + " --cases tests/validation/cases/modern -o " + folder / "links.json");
  CHECK(zero.code == 3);
  CHECK(has(zero, "\"vtrain-v100-3gpu-2097152\" cannot be fitted: unreadable: measured.value is 0"));
  CHECK_FALSE(std::filesystem::exists(folder / "links.json"));
  CHECK(run("calibrate collectives").code == 2);
}

TEST_CASE("a profile cannot be fitted without its cases") {
  const Outcome out = run("calibrate frameworks --cases tests/validation/cases/seed_decks.json");
  CHECK(out.code == 3);
  CHECK(has(out, "is fitted on"));
}

TEST_CASE("a simulation of a batch that no GPU holds is infeasible too") {
  const Outcome out = run("simulate scenarios/saturn_v.json --set workloads.0.batch_per_gpu=100000");
  CHECK(out.code == 4);
  CHECK(has(out, "of GPU memory"));
}

TEST_CASE("impossible data sets and loaders end with a message that names them") {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& data, const std::string& input) {
    write_file_atomically(folder / "s.json", R"({"name": "t", "data": {)" + data + R"(},
      "storage": {"array": "nfs_10gbe"}, "input": {)" +
                                                 input + R"(},
      "workloads": [{"model": "alexnet", "epochs": 10, "batch_per_gpu": 512}],
      "cluster": {"node": "dgx1_p100", "nodes": 1}})");
    return run("simulate " + folder / "s.json");
  };
  const std::string imagenet = R"("samples": 1281167)";
  CHECK(said(imagenet, "").code == 0);

  // A server of 50 TB: neither a simulation nor a plan has an answer.
  const Outcome large = said(R"("size": "60 TB")", "");
  CHECK(large.code == 4);
  CHECK(has(large, "does not fit"));
  write_file_atomically(folder / "plan.json", R"({"name": "t", "data": {"size": "60 TB"},
    "storage": {"array": "nfs_10gbe"}, "goal": {"deadline": "60 days"}, "cluster": {"node": "dgx1_p100"},
    "workloads": [{"model": "alexnet", "epochs": 10, "batch_per_gpu": 512}]})");
  const Outcome plan = run("size " + folder / "plan.json");
  CHECK(plan.code == 4);
  CHECK(has(plan, "does not fit"));

  const Outcome empty = said(imagenet + R"(, "bytes_per_sample": "0 B")", "");
  CHECK(empty.code == 3);
  CHECK(has(empty, "\"bytes_per_sample\" is \"0 B\", but must be more than zero"));
  CHECK(has(empty, "s.json:1"));

  const Outcome crowded = said(imagenet, R"("workers_per_gpu": 6)");  // 48 on 40 cores
  CHECK(crowded.code == 3);
  CHECK(has(crowded, "48, more than the 40 cores"));

  const Outcome shardless = said(imagenet, R"("shards": 0)");
  CHECK(shardless.code == 3);
  CHECK(has(shardless, "at least one shard"));
  CHECK(has(shardless, "s.json:2"));

  const Outcome hollow = said(imagenet, R"("shards": 2000000)");
  CHECK(hollow.code == 3);
  CHECK(has(hollow, "some would hold nothing"));
}
