// The gate on accuracy: a fixed sample of the published cases keeps its errors and its intervals, from both
// sides.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/report.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// Both ends of what is accepted.
struct Bounds {
  double least = 0, most = 0;
};

// All bounds of the gate, a fifth of the figure or so around those of today. A change that passes one for the
// better moves it, as one for the worse has to explain itself: an interval may be too wide, too.
constexpr std::size_t every = 29;  ///< case of each file: 29 is prime, so that no regular table hides
constexpr Bounds cases{300, 370}, predicted{290, 350};
constexpr Bounds median{0.075, 0.112}, p90{0.38, 0.58}, coverage{0.85, 0.95}, score{1.15, 1.7};

/// Every 29th case of each file, in the order of the file.
std::vector<ValidationCase> sample_of(const std::vector<ValidationCase>& all) {
  std::vector<ValidationCase> out;
  std::string file;
  std::size_t number = 0;
  for (const ValidationCase& c : all) {
    if (c.file != file) file = c.file, number = 0;
    if (number++ % every == 0) out.push_back(c);
  }
  return out;
}

void check(const char* what, std::optional<double> found, const Bounds& bounds) {
  REQUIRE(found);
  CHECK_MESSAGE(bounds.least <= *found, what, " is ", *found, ", below ", bounds.least);
  CHECK_MESSAGE(*found <= bounds.most, what, " is ", *found, ", above ", bounds.most);
}

}  // namespace

TEST_CASE(
    "a sample of the published cases is predicted as well as before, with intervals as honest as before") {
  const std::vector<ValidationCase> all =
      load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases");
  const std::vector<ValidationCase> sample = sample_of(all);
  const ValidationReport report = validate_cases(Catalog::builtin(), sample, {.known = all, .threads = 0});
  check("number of cases", static_cast<double>(report.summary.n), cases);
  check("number of predictions", static_cast<double>(report.summary.predicted), predicted);
  // Scored are judged cases and those with an assumption: what nothing was fitted on.
  check("median error", report.scored.median_abs_error, median);
  check("90th percentile of the errors", report.scored.p90_abs_error, p90);
  check("coverage of the 90 % intervals", report.scored.coverage_90, coverage);
  check("interval score", report.scored.interval_score, score);
}

TEST_CASE("the report of a validation is the same for any number of threads") {
  const std::vector<ValidationCase> all =
      load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases/tensorpack_benchmarks.json");
  const Catalog catalog = Catalog::builtin();
  const std::string one = to_json_text(validate_cases(catalog, all, {.threads = 1}));
  CHECK(one == to_json_text(validate_cases(catalog, all, {.threads = 2})));
  CHECK(one == to_json_text(validate_cases(catalog, all, {.threads = 7})));
}
