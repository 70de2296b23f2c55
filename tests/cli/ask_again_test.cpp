// Where a report finds the planner's page: beside it, at --planner, or nowhere.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/input_file.hpp"
#include "sim/base/version.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string kResult = "tests/data/results/fleet_feasible.json";

void write_page(const std::string& path, const std::string& of_version = std::string{version()}) {
  std::ofstream{path} << "<!doctype html>\n<meta name=\"generator\" content=\"rackcast " << of_version
                      << "\">\n";
}

bool links_to(const std::string& report, const std::string& address) {
  return read_file(report).find("href=\"" + address + "#scenario=") != std::string::npos;
}

bool has_link(const std::string& report) {
  return read_file(report).find("#scenario=") != std::string::npos;
}

}  // namespace

TEST_CASE("a report links to a planner's page beside it, and to none that is not there or is another's") {
  const TemporaryFolder folder;
  const std::string report = folder / "a.html", command = "report " + kResult + " -o " + report;
  CHECK(run(command).code == 0);
  CHECK_FALSE(has_link(report));
  write_page(folder / "rackcast.html");
  CHECK(run(command).code == 0);
  CHECK(links_to(report, "rackcast.html"));
  write_page(folder / "rackcast.html", "0.0.1");
  CHECK(run(command).code == 0);
  CHECK_FALSE(has_link(report));
  write_page(folder / "rackcast.html");
  CHECK(run("report " + kResult + " -o " + folder / "rackcast.html").code == 0);  // it is the report now
  CHECK_FALSE(has_link(folder / "rackcast.html"));
}

TEST_CASE("--planner takes a path, which becomes relative to the report, or an https address") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "reports/new");
  std::filesystem::create_directories(folder / "a: \"planner\"");
  write_page(folder / "rackcast.html");
  write_page(folder / "a: \"planner\"/own.html");
  const std::string report = folder / "reports/new/a.html";
  const std::string command = "report " + kResult + " -o " + report + " --planner ";
  CHECK(run(command + folder / "rackcast.html").code == 0);
  CHECK(links_to(report, "../../rackcast.html"));
  CHECK(run(command + "'" + folder / "a: \"planner\"/own.html'").code == 0);
  CHECK(links_to(report, "../../a%3A%20%22planner%22/own.html"));
  CHECK(run(command + "https://tools.example.com:8443/rackcast.html?a=1").code == 0);
  CHECK(links_to(report, "https://tools.example.com:8443/rackcast.html?a=1"));
  CHECK(run("report " + kResult + " -o " + folder / "a.md" + " --planner https://a.org/").code == 2);
  CHECK(run("report " + kResult + " -o " + report + " --planner https://a.org/ --interactive").code == 2);
}

TEST_CASE("a hostile address of the planner is refused before the work, with exit code 3") {
  const TemporaryFolder folder;
  write_page(folder / "old.html", "0.0.1");
  const std::string report = folder / "a.html";
  for (const std::string& address : {std::string{"'javascript:alert(1)'"},
                                     std::string{"'JaVaScRiPt:alert(1)'"},
                                     std::string{"' javascript:alert(1)'"},
                                     std::string{"'java\tscript:alert(1)'"},
                                     std::string{"'data:text/html,<script>alert(1)</script>'"},
                                     std::string{"'vbscript:x'"},
                                     std::string{"'blob:https://a.org/1'"},
                                     std::string{"file:///etc/passwd"},
                                     std::string{"http://a.org/rackcast.html"},
                                     std::string{"'https://'"},
                                     std::string{"'https:///x'"},
                                     std::string{"'https://a.org/\" onclick=\"alert(1)'"},
                                     std::string{"'https://me@a.org/'"},
                                     std::string{"'https://a.org/#x'"},
                                     std::string{"'https://a.org/a b'"},
                                     std::string{"//a.org/r.html"},
                                     std::string{"no-such-page.html"},
                                     std::string{"/etc/passwd"},
                                     std::string{"/tmp"},
                                     folder / "old.html",
                                     std::string{"'https://ä.org/'"}}) {
    CAPTURE(address);
    const Outcome out = run("report " + kResult + " -o " + report + " --planner " + address);
    CHECK(out.code == 3);
    CHECK(has(out, "is no address of the planner's page"));
    CHECK_FALSE(std::filesystem::exists(report));
  }
  write_page(folder / "a.html");
  CHECK(has(run("report " + kResult + " -o " + report + " --planner " + report), "choose another name"));
}
