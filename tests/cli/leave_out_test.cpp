// Sources left out of every fit, and spreads fitted to what comes of it.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

nlohmann::json report_of(const std::string& flags) {
  // All fits may be repeated, beside other tests.
  const Outcome out = run("validate --cases tests/validation/cases --json " + flags, 600);
  REQUIRE(out.code == 0);
  return nlohmann::json::parse(out.output);
}

}  // namespace

TEST_CASE("a curve that a link was fitted on is predicted without it when its source is left out" *
          doctest::test_suite("long")) {
  const std::string only = "--only vtrain-nccl-ar-a100-5gpu";
  const nlohmann::json shipped = report_of(only), left_out = report_of(only + " --leave-out source");
  CHECK(shipped.at("left_out") == "");
  CHECK(left_out.at("left_out") == "source");
  REQUIRE(shipped.at("cases").size() > 3);
  REQUIRE(left_out.at("cases").size() == shipped.at("cases").size());
  for (std::size_t i = 0; i < shipped.at("cases").size(); ++i) {
    const nlohmann::json &with = shipped.at("cases")[i], &without = left_out.at("cases")[i];
    CHECK(with.at("set") == "fit");
    CHECK(without.at("set") == "judged");
    CHECK(without.at("used") == true);
    CHECK(with.at("predicted") != without.at("predicted"));
  }
}

TEST_CASE("a source that entered no fit is predicted as ever when sources are left out" *
          doctest::test_suite("long")) {
  const std::string only = "--only tensorpack";
  const nlohmann::json shipped = report_of(only).at("cases"),
                       left_out = report_of(only + " --leave-out source").at("cases");
  REQUIRE(shipped.size() > 3);
  REQUIRE(left_out.size() == shipped.size());
  int predicted = 0;
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    CHECK(left_out[i].at("skipped_reason") == shipped[i].at("skipped_reason"));
    if (shipped[i].at("predicted").is_null()) continue;
    ++predicted;
    // Without cases of other sources the spreads stay as they are, and with them the intervals.
    for (const char* key : {"predicted", "low", "high"})
      CHECK(std::abs(left_out[i].at(key).get<double>() / shipped[i].at(key).get<double>() - 1) < 1e-9);
  }
  CHECK(predicted > 3);
}

TEST_CASE("only sources can be left out, and spreads are fitted to such a report alone") {
  CHECK(run("validate --cases tests/validation/cases --leave-out gpu").code == 2);
  const TemporaryFolder folder;
  write_file_atomically(folder / "plain.json", report_of("--only vtrain-nccl-ar-a100-5gpu").dump());
  const Outcome plain = run("calibrate spreads --left-out " + folder / "plain.json");
  CHECK(plain.code == 3);
  CHECK(has(plain, "the sources of the cases were not left out"));
  CHECK(run("calibrate spreads --left-out " + folder / "none.json").code == 3);
  CHECK(run("calibrate spreads").code == 2);
}
