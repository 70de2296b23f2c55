// A program that was built without npm: the text formats are the same, the page has tables and says why.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Writes the same report with the program and with the one that has no charts.
void report_both(const TemporaryFolder& folder, const std::string& ending) {
  const std::string question = "report scenarios/power_limited_site.json -o ";
  CHECK(run(question + folder / "with." + ending).code == 0);
  const std::string other = "cd '" RACKCAST_SOURCE_DIR "' && '" RACKCAST_WITHOUT_CHARTS "' " + question +
                            (folder / "without.") + ending + " >/dev/null 2>&1";
  CHECK(std::system(other.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
}

}  // namespace

TEST_CASE("without npm the page carries the tables of its charts and says why") {
  const TemporaryFolder folder;
  report_both(folder, "html");
  const std::string with = read_file(folder / "with.html"), without = read_file(folder / "without.html");
  CHECK(without.find("Tables instead of charts") != std::string::npos);
  CHECK(without.find("This rackcast was built without its chart library: npm") != std::string::npos);
  CHECK(without.find("class=\"plot") == std::string::npos);
  CHECK(without.find("vegaEmbed=") == std::string::npos);
  CHECK(count(without, "<table role=") >= count(with, "<table role="));
  CHECK(count(without, "<svg class=") ==
        count(with, "<svg class="));  // racks, wiring and floor need no library
  CHECK(without.size() < 300'000);
}

TEST_CASE("without npm the text formats are as with it") {
  const TemporaryFolder folder;
  report_both(folder, "md");
  std::string with = read_file(folder / "with.md"), without = read_file(folder / "without.md");
  const auto named = with.find("with.md");  // the command in it names the file
  REQUIRE(named != std::string::npos);
  with.replace(named, 7, "without.md");
  CHECK(with == without);
}
