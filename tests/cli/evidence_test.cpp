// The measured trainings that travel with the program are those that `validate` predicts today.
#include "scenarios/evidence/evidence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

TEST_CASE("the shipped evidence is in step with validate" * doctest::test_suite("shipped data")) {
  // Half a percent is less than a reader can see; more means that predictions have changed and that this has
  // to be run again: rackcast validate --cases tests/validation/cases --evidence
  // scenarios/evidence/data/training.json
  constexpr double visible = 0.005;
  const TemporaryFolder folder;
  const std::string file = folder / "training.json";
  REQUIRE(run("validate --cases tests/validation/cases --evidence " + file, 600).code == 0);
  const std::vector<ValidatedRun> now = read_evidence(read_file(file), file), shipped = shipped_evidence();
  REQUIRE(now.size() == shipped.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    CAPTURE(shipped[i].id);
    CHECK(now[i].traits.gpu == shipped[i].traits.gpu);
    CHECK(now[i].traits.model == shipped[i].traits.model);
    CHECK(now[i].traits.gpus == shipped[i].traits.gpus);
    CHECK(now[i].like == shipped[i].like);
    if (now[i].id != shipped[i].id) continue;  // the median of near repeats is another one by a hair
    CHECK(now[i].measured == shipped[i].measured);
    CHECK(std::abs(now[i].predicted.value / shipped[i].predicted.value - 1) < visible);
    CHECK(std::abs(now[i].predicted.low / shipped[i].predicted.low - 1) < visible);
    CHECK(std::abs(now[i].predicted.high / shipped[i].predicted.high - 1) < visible);
  }
}
