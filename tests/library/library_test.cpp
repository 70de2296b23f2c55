// librackcast.so as a program of somebody else calls it: through its public headers alone.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "rackcast/rackcast.hpp"

namespace library = rackcast::library;
namespace fs = std::filesystem;
using nlohmann::json;

// tests/library/c_caller.c
extern "C" int size_asked_from_c(const char* scenario, char* document, size_t room);

namespace {

const std::string fleet = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";
const std::string pod = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/dgx_pod_dgx1.json";

/// A training that takes milliseconds to answer.
const char* const small = R"({
  "name": "small", "cluster": {"node": "dgx1v_16gb", "nodes": 2},
  "data": {"samples": 1000000},
  "workloads": [{"model": "resnet50", "epochs": 2}],
  "goal": {"deadline": "2 days"}
})";

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// What the program prints; its document says by which command it was asked, and the library's says nothing.
json by_program(const std::string& words) {
  const fs::path out = fs::temp_directory_path() / "rackcast_library_test.json";
  const std::string command = std::string{RACKCAST_PROGRAM} + " " + words + " --json >" + out.string();
  REQUIRE(std::system(command.c_str()) == 0);
  json document = json::parse(read(out));
  fs::remove(out);
  return document;
}

json without_command(json document) {
  document.erase("command");
  return document;
}

library::Options text(std::string scenario) {
  library::Options options;
  options.text = std::move(scenario);
  return options;
}

library::Error error_of(const std::string& scenario) {
  try {
    (void)library::size("mine.json", text(scenario));
  } catch (const library::Error& error) {
    return error;
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("the library answers as the program does") {
  CHECK(without_command(json::parse(library::size(fleet).document)) ==
        without_command(by_program("size " + fleet)));
  CHECK(without_command(json::parse(library::simulate(pod).document)) ==
        without_command(by_program("simulate " + pod)));
  CHECK(json::parse(library::explain(pod).document) == by_program("explain " + pod));
  CHECK(json::parse(library::catalog("gpus").document) == by_program("catalog list gpus"));
  CHECK(json::parse(library::catalog("gpus", "k80").document) == by_program("catalog show gpus k80"));
  CHECK(library::check(pod).document.find("no errors") != std::string::npos);
}

TEST_CASE("a scenario may be a text, and values of it may be replaced") {
  library::Options options = text(small);
  const json answer = json::parse(library::size("small.json", options).document);
  CHECK(answer.at("answer").at("feasible") == true);
  options.sets = {"goal.deadline=1 ms"};
  const library::Answer none = library::size("small.json", options);
  CHECK_FALSE(none.feasible);
  CHECK(json::parse(none.document).at("answer").at("feasible") == false);
}

TEST_CASE("an answer is the same for any number of threads, and for callers at once") {
  library::Options one = text(small), four = text(small);
  one.threads = 1;
  four.threads = 4;
  const std::string expected = library::size("small.json", one).document;
  CHECK(library::size("small.json", four).document == expected);
  std::vector<std::string> documents(4);
  std::vector<std::thread> callers;
  for (std::string& document : documents)
    callers.emplace_back([&] { document = library::size("small.json", one).document; });
  for (std::thread& caller : callers) caller.join();
  for (const std::string& document : documents) CHECK(document == expected);
}

TEST_CASE("an error has place, hint and the exit code of the program") {
  std::string misspelt = small;
  misspelt.replace(misspelt.find("\"nodes\""), 7, "\"nods\"");
  const library::Error unknown = error_of(misspelt);
  CHECK(unknown.code == RACKCAST_INVALID_INPUT);
  CHECK(unknown.file == "mine.json");
  CHECK(unknown.line == 2);
  CHECK(unknown.column > 1);
  CHECK(unknown.pointer.find("/cluster") == 0);
  CHECK(unknown.message.find("mine.json:2:") == 0);
  CHECK(unknown.problem.find("nods") != std::string::npos);
  CHECK(unknown.hint.find("nodes") != std::string::npos);
  for (const char* broken :
       {" ", "{", "[]", "null", "\xff\xfe", "{\"name\": \"x\"}", "{\"extends\": \"no.json\"}",
        "{\"extends\": \"mine.json\"}", "{\"name\": 1e999}"}) {
    CAPTURE(broken);
    CHECK(error_of(broken).code == RACKCAST_INVALID_INPUT);
  }
  CHECK_THROWS_AS(library::size("/no/such/file.json"), library::Error);
  CHECK_THROWS_AS(library::catalog("gpus", "no such GPU"), library::Error);
}

TEST_CASE("options out of range are errors of usage") {
  library::Options options = text(small);
  options.threads = -1;
  CHECK_THROWS_AS(library::size("x", options), library::Error);
  options.threads = 0;
  options.samples = 3;
  CHECK_THROWS_AS(library::uncertainty("x", options), library::Error);
  options.samples = 0;
  options.limits = {"soon"};
  CHECK_THROWS_AS(library::size("x", options), library::Error);
  rackcast_answer* answer = rackcast_size(nullptr, nullptr);
  CHECK(rackcast_code(answer) == RACKCAST_USAGE);
  CHECK(std::strlen(rackcast_document(answer)) == 0);
  rackcast_free(answer);
  rackcast_free(nullptr);
  CHECK(rackcast_code(nullptr) == RACKCAST_INTERNAL);
}

TEST_CASE("progress is told, and the caller can end the work") {
  std::size_t told = 0;
  library::Options options = text(small);
  options.threads = 1;
  options.progress = [&](const char* what, std::size_t, std::size_t) {
    told += std::strlen(what) > 0;
  };
  (void)library::size("small.json", options);
  CHECK(told > 0);
  std::atomic<int> asked = 0;
  options.cancelled = [&] {
    return ++asked > 3;
  };
  bool ended = false;
  try {
    ended = library::size("small.json", options).interrupted;
  } catch (const library::Error& error) {
    ended = error.code == RACKCAST_INTERRUPTED;
  }
  CHECK(ended);
}

TEST_CASE("reports are written in the format that the name of the file says") {
  const std::string document = library::size("small.json", text(small)).document;
  const fs::path folder = fs::temp_directory_path() / "rackcast_library_test";
  fs::create_directories(folder);
  const std::string page = (folder / "report.html").string();
  CHECK(library::report(document, page).document == page);
  CHECK(read(page).find("<!doctype html>") == 0);
  CHECK_THROWS_AS(library::report(document, (folder / "report.doc").string()), library::Error);
  CHECK_THROWS_AS(library::report("{}", page), library::Error);
  CHECK_THROWS_AS(library::report(document, "/proc/report.html"), library::Error);
  fs::remove_all(folder);
}

TEST_CASE("what the program prints, and results beside each other") {
  const std::string document = library::size("small.json", text(small)).document;
  const std::string first = library::text(document).document, all = library::text(document, true).document;
  CHECK(first.find("Decision") != std::string::npos);
  CHECK(all.size() > 2 * first.size());
  CHECK(library::text(library::catalog("gpus", "k80").document).document.find("K80") != std::string::npos);
  library::Options longer = text(small);
  longer.sets = {"workloads.0.epochs=4"};
  const std::string other = library::size("small.json", longer).document;
  const std::string compared = library::compare({{"two", document}, {"four", other}}).document;
  CHECK(json::parse(compared).at("format") == "rackcast-comparison");
  CHECK(library::text(compared).document.find("four") != std::string::npos);
  CHECK_THROWS_AS(library::compare({{"alone", document}}), library::Error);
  CHECK_THROWS_AS(library::compare({{"two", document}, {"none", "{}"}}), library::Error);
  CHECK_THROWS_AS(library::text("["), library::Error);
  CHECK_THROWS_AS(library::text("{}"), library::Error);
}

TEST_CASE("a result says the command that it was asked by") {
  rackcast_options options{};
  options.text = small;
  options.command = "rackcast size small.json";
  rackcast_answer* answer = rackcast_size("small.json", &options);
  CHECK(json::parse(rackcast_document(answer)).at("command") == "rackcast size small.json");
  rackcast_free(answer);
}

TEST_CASE("a program in C gets the same document") {
  std::string document(4 << 20, '\0');
  CHECK(size_asked_from_c(small, document.data(), document.size()) == RACKCAST_OK);
  document.resize(std::strlen(document.c_str()));
  CHECK(document == library::size("c.json", text(small)).document);
  CHECK(std::string{rackcast_version()} == library::version());
}
