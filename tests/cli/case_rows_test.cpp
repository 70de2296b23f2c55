// The page of the seed documents is what the program says today.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string command = "validate --cases tests/validation/cases --only seed- --rows";

}  // namespace

TEST_CASE("the page of the seed documents is today's, and the README has its summary" *
          doctest::test_suite("long")) {
  const TemporaryFolder folder;
  const std::string page = folder / "seeds.md", shipped = std::string{RACKCAST_SOURCE_DIR} + "/docs/seeds.md";
  const Outcome out = run(command + " -o " + page, 600);
  REQUIRE_MESSAGE(out.code == 0, out.output);
  const std::string found = read_file(page);
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(shipped, found);
  INFO("RACKCAST_UPDATE_GOLDEN=1 writes docs/seeds.md");
  CHECK((found == read_file(shipped)));
  // The three lines of the summary.
  const std::string readme = read_file(std::string{RACKCAST_SOURCE_DIR} + "/README.md");
  const std::size_t begin = found.find("\n- ") + 1, end = found.find("\n\n", begin);
  REQUIRE(begin != 0);
  CHECK_MESSAGE(readme.find(found.substr(begin, end - begin)) != std::string::npos,
                found.substr(begin, end - begin));
}

TEST_CASE("all 57 figures of the seed documents have a row and at least 50 a prediction") {
  const Outcome out = run("validate --cases tests/validation/cases/seed_decks.json --json");
  const auto count = [&](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = out.output.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  CHECK(count("\"id\": \"seed-") == 57);
  CHECK(count("\"skipped_reason\": null") >= 50);
}

TEST_CASE("cases are chosen by their id, and no case is an error with the way out") {
  const Outcome one = run("validate --cases tests/validation/cases/seed_decks.json --only rn50-256 --rows");
  CHECK(one.code == 0);
  CHECK(has(one, "seed-ibm-ddl-rn50-256"));
  CHECK_FALSE(has(one, "seed-ibm-ddl-rn50-128"));
  // The row from which the length of its run follows is found all the same.
  const Outcome other =
      run("validate --cases tests/validation/cases/seed_decks.json --only alexnet-80gpu-104tb --json");
  CHECK(has(other, "\"skipped_reason\": null"));
  const Outcome none = run("validate --cases tests/validation/cases/seed_decks.json --only nothing-like-it");
  CHECK(none.code == 2);
  CHECK(has(none, "no case has \"nothing-like-it\" in its id"));
  CHECK(has(none, "seed-ibm-ddl-rn50-4"));
}
