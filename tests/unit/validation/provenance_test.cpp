// What the constants of the models rest on, and that nothing of it is judged.
#include "scenarios/validation/provenance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>
#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/report.hpp"
#include "sim/base/embedded.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
std::span<const EmbeddedFile> model_data();
}

using namespace rackcast;

namespace {

const std::vector<ValidationCase>& all_cases() {
  static const std::vector<ValidationCase> cases =
      load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases");
  return cases;
}

ValidationCase case_of(const std::string& json) {
  return parse_cases(json, "f.json").at(0);
}

/// Files below models/data, or folders of them, of which the registry says what their numbers rest on.
std::vector<std::string> registered() {
  std::vector<std::string> out;
  const auto registry = std::ranges::find(model_data(), "provenance.json", &EmbeddedFile::name);
  const auto json = nlohmann::json::parse(registry->text);
  for (const auto& entry : json.at("files")) out.push_back(entry.at("file"));
  return out;
}

bool has_provenance(const std::vector<std::string>& registered, std::string_view file) {
  return std::ranges::any_of(registered, [&](const std::string& listed) {
    return listed.ends_with('/') ? file.starts_with(listed) : file == listed;
  });
}

}  // namespace

TEST_CASE("every data file with fitted numbers says in the registry what they rest on") {
  const std::regex fitted{R"(\bfit(ted)?\b)"};
  const std::vector<std::string> known = registered();
  int files = 0;
  for (const EmbeddedFile& file : model_data()) {
    if (file.name == "provenance.json" || !std::regex_search(file.text.begin(), file.text.end(), fitted))
      continue;
    ++files;
    CHECK_MESSAGE(has_provenance(known, file.name), "models/data/", std::string{file.name},
                  " speaks of a fit; enter in models/data/provenance.json what it rests on");
  }
  CHECK(files > 30);
  CHECK_FALSE(has_provenance(known, "collectives/nowhere.json"));
}

TEST_CASE("the registry finds cases, and no case that a constant rests on is judged") {
  const ProvenanceRegistry registry = provenance(Catalog::builtin(), framework_profiles());
  std::size_t used = 0;
  for (const ValidationCase& c : all_cases()) {
    const Provenance* user = registry.user_of(c);
    if (user == nullptr) continue;
    ++used;
    CHECK_MESSAGE(case_set(c, registry) != CaseSet::judged, c.id, " is used by ", user->where);
  }
  CHECK(used > 700);
}

TEST_CASE("what is entered in the registry exists") {
  // A pattern without a case is a slip, or the case was renamed. Curves of links lie in calibrate/data, too.
  std::vector<ValidationCase> cases = all_cases();
  for (ValidationCase& c : load_cases(std::string{RACKCAST_SOURCE_DIR} + "/calibrate/data/collectives"))
    cases.push_back(std::move(c));
  const ProvenanceRegistry registry = provenance(Catalog::builtin(), framework_profiles());
  for (const Provenance& entry : registry.entries()) {
    for (const CasePattern& pattern : entry.patterns)
      CHECK_MESSAGE(std::ranges::any_of(cases, [&](const ValidationCase& c) { return pattern.matches(c); }),
                    entry.where, ": no case of \"", pattern.series, pattern.source, pattern.id, "\"");
    for (const std::string& id : entry.ids)
      CHECK_MESSAGE(std::ranges::find(cases, id, &ValidationCase::id) != cases.end(), entry.where,
                    ": no case is called \"", id, "\"");
  }
}

TEST_CASE("a pattern has to agree in all that it names") {
  const ValidationCase c = case_of(
      R"({"id":"a","series":"s/x/y","system":{"gpus":8},"workload":{"model":"m","task":"training"},
          "measured":{"metric":"images_per_s","value":1}})");
  CasePattern pattern;
  pattern.series = "s/x/y";
  CHECK(pattern.matches(c));
  pattern.more_gpus_than = 8;
  CHECK_FALSE(pattern.matches(c));
  pattern.more_gpus_than = 7;
  CHECK(pattern.matches(c));
  pattern.model = "other";
  CHECK_FALSE(pattern.matches(c));
}

TEST_CASE("a pattern draws a fixed share of the series by their names") {
  CasePattern pattern;
  pattern.one_series_in = 4;
  int drawn = 0;
  for (int i = 0; i < 1000; ++i) {
    const ValidationCase c = case_of(R"({"id":"a","series":"s/)" + std::to_string(i) +
                                     R"(","system":{"gpus":1},"workload":{"model":"m","task":"training"},
                                     "measured":{"metric":"images_per_s","value":1}})");
    drawn += pattern.matches(c) ? 1 : 0;
  }
  CHECK(drawn > 200);
  CHECK(drawn < 300);
}

TEST_CASE("what was chosen by hand remains when every fit is repeated") {
  const ProvenanceRegistry all = provenance(Catalog::builtin(), framework_profiles());
  const ProvenanceRegistry chosen = all.chosen_by_hand();
  std::size_t kept = 0;
  for (const ValidationCase& c : all_cases()) {
    if (chosen.user_of(c) == nullptr) continue;
    ++kept;
    CHECK(all.user_of(c) != nullptr);
  }
  CHECK(kept > 100);
  CHECK(chosen.entries().size() < all.entries().size());
  for (const Provenance& entry : chosen.entries())
    CHECK_FALSE(entry.where.starts_with("models/data/frameworks"));
}

TEST_CASE("measurements of the same people as a source are found, and lie in calibrate/data") {
  CHECK(data_of_source("baidu_deepbench") == std::vector<std::string>{"deepbench"});
  CHECK(data_of_source("nobody").empty());
}
