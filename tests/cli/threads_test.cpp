// However many threads work on a question, the answer has the same bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

using namespace rackcast;

namespace {

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{RACKCAST_SOURCE_DIR} + "/scenarios"})
    if (entry.path().extension() == ".json") out.push_back("scenarios/" + entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("1, 2, 3 and 16 threads size each shipped scenario to the same bytes" *
          doctest::test_suite("long")) {
  int answered = 0;
  for (const std::string& scenario : shipped_scenarios()) {
    CAPTURE(scenario);
    const auto size = [&](int threads) {
      return run("size " + scenario + " --json --threads " + std::to_string(threads));
    };
    const Outcome one = size(1);
    if (one.code == 3) continue;  // a question for another command
    REQUIRE((one.code == 0 || one.code == 4));
    REQUIRE(has(one, "rackcast-result"));
    ++answered;
    for (const int threads : {2, 3, 16}) {
      CAPTURE(threads);
      const Outcome many = size(threads);
      CHECK(many.code == one.code);
      CHECK((many.output == one.output));  // in brackets: documents of 100 kB are not printed
    }
  }
  CHECK(answered >= 8);
}
