/// Whole reports of the example results, byte for byte. RACKCAST_UPDATE_GOLDEN=1 writes the files again; the
/// change is then reviewed like code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/writers/page_scripts.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"

using namespace rackcast::reports;

namespace {

const std::string tests_folder = std::string(RACKCAST_SOURCE_DIR) + "/tests";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void compare(const std::string& name, const std::string& actual) {
  const std::string path = tests_folder + "/golden/reports/" + name;
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  const std::string expected = read(path);
  const auto at = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end()).first;
  INFO(name, " differs at byte ", at - actual.begin(), "; RACKCAST_UPDATE_GOLDEN=1 accepts the change");
  CHECK(actual == expected);
}

}  // namespace

TEST_CASE("issue 23, item 27: the example results hold every part that a report can show") {
  // fleet_whole.json: rackcast size scenarios/fleet_very_conservative.json --json
  // serving.json: rackcast size scenarios/inference_fleet.json --json
  const auto whole = nlohmann::json::parse(read(tests_folder + "/data/results/fleet_whole.json"));
  for (const char* part : {"plan", "site", "growth", "drawings", "assumptions"})
    CHECK_MESSAGE(!whole.at(part).empty(), part);
  for (const char* part : {"racks", "power", "network", "bill", "cost"})
    CHECK_MESSAGE(!whole.at("site").at(part).empty(), part);
  for (const char* part : {"input", "reliability", "evidence", "timeline", "published", "alternatives",
                           "sensitivity", "ladder", "scaling", "step"})
    CHECK_MESSAGE(!whole.at("workloads").at(0).at(part).empty(), part);
  const auto serving = nlohmann::json::parse(read(tests_folder + "/data/results/serving.json"));
  for (const char* part : {"serving", "site"}) CHECK_MESSAGE(!serving.at(part).empty(), part);
}

TEST_CASE("reports of the example results are as reviewed") {
  for (const std::string name : {"fleet_feasible", "fleet_infeasible", "fleet_whole", "serving"}) {
    const std::string json = rackcast::checked(read(tests_folder + "/data/results/" + name + ".json"));
    const ResultDocument document = load_result(json, name);
    compare(name + "_80.txt", render_text(document));
    compare(name + "_120.txt", render_text(document, {.width = 120}));
    compare(name + "_ascii.txt", render_text(document, {.ascii = true}));
    compare(name + ".md", render_markdown(document));
    // The scripts are those of other tests; here they would only hide the page.
    const PageScripts scripts{{"/* library */", "sha256-library"}, {"/* page */", "sha256-page"}, ""};
    compare(name + ".html", write_html(build_report(document), scripts));
  }
}
