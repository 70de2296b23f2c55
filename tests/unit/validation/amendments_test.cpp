// Corrections of published cases: what they change, and what is wrong with those that change nothing.
#include "scenarios/validation/cases/amendments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/report.hpp"
#include "sim/base/atomic_file.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string case_text(const std::string& id, int batch) {
  return R"({"id":")" + id +
         R"(","series":"owner/box/net","system":{"gpu":"v100_sxm2_16gb","gpus":1,"gpus_per_node":1,"nodes":1},
 "workload":{"model":"resnet50","task":"training","batch_per_gpu":)" +
         std::to_string(batch) +
         R"(,"precision":"fp32","framework":"tensorflow","extra":{"bound":"lower"}},
 "measured":{"metric":"images_per_s","value":350,"unit":"images/s"}})";
}

std::vector<ValidationCase> two_cases() {
  return parse_cases("[" + case_text("a", 64) + "," + case_text("b", 32) + "]", "cases.json");
}

std::string amendment(const std::string& ids, const std::string& patch) {
  return R"({"amendments": [{"ids": [)" + ids + R"(], "patch": )" + patch +
         R"(, "why": "a misprint", "source": "the log", "date": "2026-11-25"}]})";
}

/// Why the last of the cases cannot be read.
std::string fault(const std::string& text, bool all_known = true) {
  std::vector<ValidationCase> cases = two_cases();
  amend(cases, text, "amendments.json", all_known);
  if (cases.size() == 2) return {};
  CHECK(cases.back().file == "amendments.json");
  CHECK(cases.back().line > 0);
  return cases.back().unreadable;
}

}  // namespace

TEST_CASE("an amendment changes what it names, removes what it sets to null, and keeps what was published") {
  std::vector<ValidationCase> cases = two_cases();
  amend(cases, amendment(R"("a")", R"({"workload": {"batch_per_gpu": 128, "extra": {"bound": null}}})"),
        "amendments.json", true);
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].workload.batch_per_gpu == 128);
  CHECK_FALSE(text_in(cases[0].workload.extra, "bound"));
  CHECK(cases[0].workload.precision == "fp32");
  CHECK(cases[0].file == "cases.json");
  REQUIRE(cases[0].published);
  CHECK(cases[0].published->workload.batch_per_gpu == 64);
  CHECK(cases[0].amendment->why == "a misprint");
  CHECK_FALSE(cases[1].published);
}

TEST_CASE("an amendment that cannot be applied is told with its file, line and case") {
  CHECK(fault(amendment(R"("c")", R"({"kind": "derived"})")) ==
        "an amendment names this case, and no case has the id");
  CHECK(fault(amendment(R"("c")", R"({"kind": "derived"})"), false).empty());  // of another file
  CHECK(fault(amendment(R"("a", "a")", R"({"kind": "derived"})")) == "the case has an amendment already");
  CHECK(fault(amendment(R"("a")", R"({"kind": "measurement", "workload": {"model": "resnet50"}})"))
            .empty());  // "kind" was not stated before
  CHECK(fault(amendment(R"("a")", R"({"workload": {"model": "resnet50"}})")) ==
        "the patch changes nothing of case \"a\"");
  CHECK(fault(amendment(R"("a")", R"({"id": "z"})")) == "an amendment cannot change the id of a case");
  CHECK(fault(amendment(R"("a")", "{}")) == "a patch that changes nothing");
  CHECK(fault(amendment("", R"({"kind": "derived"})")) == "an amendment without a case");
  CHECK(
      fault(
          R"({"amendments": [{"ids": ["a"], "patch": {"kind": "derived"}, "why": "", "source": "", "date": ""}]})") ==
      "an amendment says its reason, its source and its date");
  for (const char* text : {"", "[]", "{", "\x80", R"({"amendments": 7})", R"({"amendments": [7]})"})
    CHECK_FALSE(fault(text).empty());
}

TEST_CASE("an amendment may say what its cases have in common") {
  const auto matching = [](const std::string& match) {
    return R"({"amendments": [{"match": )" + match +
           R"(, "patch": {"kind": "derived"}, "why": "w", "source": "s", "date": "2026-11-25"}]})";
  };
  std::vector<ValidationCase> cases = two_cases();
  amend(cases, matching(R"({"workload": {"batch_per_gpu": 32, "extra": {"bound": "lower"}}})"), "a.json",
        true);
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].kind == "measurement");
  CHECK(cases[1].kind == "derived");
  CHECK(fault(matching(R"({"workload": {"batch_per_gpu": 33}})")) == "an amendment that fits no case");
  CHECK(fault(matching(R"({"workload": {"batch_per_gpu": 33}})"), false).empty());
  CHECK(fault(matching("{}")) == "an amendment of every case");
}

TEST_CASE("an amended case that cannot be, is unreadable") {
  std::vector<ValidationCase> cases = two_cases();
  amend(cases, amendment(R"("a")", R"({"system": {"gpus": 7, "nodes": 2}})"), "amendments.json", true);
  CHECK(cases[0].unreadable.find("system.gpus is 7") != std::string::npos);
}

TEST_CASE("a folder and a file are read with the amendments beside them, and the report says what they do") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "cases.json", "[" + case_text("a", 64) + "," + case_text("b", 32) + "]");
  write_file_atomically(folder / "amendments.json",
                        amendment(R"("a")", R"({"workload": {"extra": {"bound": null}}})"));
  for (const std::string& path : {folder / "", folder / "cases.json"}) {
    const std::vector<ValidationCase> cases = load_cases(path);
    REQUIRE(cases.size() == 2);
    const ValidationReport report = validate_cases(Catalog::builtin(), cases);
    REQUIRE(report.amendments.size() == 1);
    CHECK(report.amendments[0].ids == std::vector<std::string>{"a"});
    CHECK(report.amendments[0].published.predicted == 1);
    const auto bounds = [](const std::vector<ErrorGroup>& sets) {
      const auto found = std::ranges::find(sets, "bound", &ErrorGroup::name);
      return found == sets.end() ? std::size_t{0} : found->summary.n;
    };
    CHECK(bounds(report.sets_as_published) == 2);
    CHECK(bounds(report.sets) == 1);
  }
}
