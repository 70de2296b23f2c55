#include <doctest/doctest.h>

#include <string>

#include "reports/pages/report.hpp"
#include "reports/pages/validation_report.hpp"
#include "scenarios/validation/report.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

std::string document() {
  CaseResult predicted;
  predicted.id = "net-a";
  predicted.metric = "images_per_s";
  predicted.gpu = "p100_sxm2";
  predicted.gpus = 1;
  predicted.measured = 100;
  predicted.predicted = PredictedFigure{110, 90, 130};
  predicted.error = 0.1;
  CaseResult other = predicted;
  other.id = "net-b";
  other.predicted = PredictedFigure{50, 40, 60};
  other.error = -0.5;
  CaseResult skipped;
  skipped.id = "net-c";
  skipped.skipped_reason = "no model of <this> yet";
  return to_json_text(summarize_report({predicted, other, skipped}));
}

}  // namespace

TEST_CASE("a validation page shows errors, the worst case and what was skipped") {
  const Report report = build_validation_report(document(), "v.json");
  const std::string text = write_text(report);
  CHECK(text.find("Median error 30 %") != std::string::npos);  // of 10 % and 50 %
  CHECK(text.find("net-b") != std::string::npos);
  CHECK(text.find("no model of <this> yet") != std::string::npos);
  const std::string html = write_html(report);
  CHECK(html.find("Images per s: every predicted case") != std::string::npos);
  CHECK(html.find("no model of &lt;this&gt; yet") != std::string::npos);
  CHECK(write_markdown(report).find("p100") != std::string::npos);
}

TEST_CASE("a validation without predictions says so") {
  const std::string text = write_text(build_validation_report(to_json_text(summarize_report({})), "v.json"));
  CHECK(text.find("No judged case could be predicted") != std::string::npos);
}

TEST_CASE("another document is refused") {
  CHECK_THROWS_AS((void)build_validation_report(R"({"format":"rackcast-result"})", "v.json"), Error);
  CHECK_THROWS_AS((void)build_validation_report("[]", "v.json"), Error);
}
