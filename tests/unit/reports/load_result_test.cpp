#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "sim/base/error.hpp"
#include "tests/render_document.hpp"

using namespace rackcast::reports;
using nlohmann::ordered_json;
using rackcast::Error;

namespace {

std::string example(const std::string& name) {
  std::ifstream file(std::string(RACKCAST_SOURCE_DIR) + "/tests/data/results/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string failure(const std::string& text) {
  try {
    load_result(text, "old.json");
  } catch (const Error& error) {
    return std::string(error.what()) + "\nat " + error.where().pointer;
  }
  return "";
}

/// The message after `edit` has changed the feasible example.
template <class Edit>
std::string failure_after(Edit edit) {
  auto json = ordered_json::parse(example("fleet_feasible.json"));
  edit(json);
  return failure(json.dump(1));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a result document is read") {
  const ResultDocument document = load_result(example("fleet_feasible.json"), "fleet.json");
  CHECK(document.kind == ResultDocument::Kind::size);
  CHECK(document.answer.feasible);
  CHECK(document.answer.nodes == 15);
  REQUIRE(document.performance.time_to_train);
  CHECK(document.performance.time_to_train->unit == "s");
  REQUIRE(document.workloads.size() == 2);
  CHECK(document.workloads[1].title == "AlexNet");
  CHECK(document.workloads[1].step->parts.size() == 5);
  CHECK(document.scenario.seed == "1");
  CHECK(has(document.scenario.text, "\"deadline\": \"14 days\""));
  CHECK(document.deadline_s == 14 * 86400.0);
}

TEST_CASE("an infeasible result has conflicts and no prediction") {
  const ResultDocument document = load_result(example("fleet_infeasible.json"), "fleet.json");
  CHECK_FALSE(document.answer.feasible);
  CHECK_FALSE(document.answer.nodes);
  CHECK_FALSE(document.performance.time_to_train);
  CHECK(document.answer.conflicts.size() == 2);
}

TEST_CASE("what is not a result says so") {
  CHECK(has(failure("{}"), "not a rackcast result"));
  CHECK(has(failure("[1]"), "not a rackcast result"));
  CHECK(has(failure("{\"format\": 7}"), "not a rackcast result"));
  CHECK(has(failure("{\"format\": \"rackcast-scenario\", \"version\": 1}"), "not a rackcast result"));
  CHECK(has(failure(""), "old.json"));
  CHECK(has(failure("{\"format\": \"rackcast-result\""), "old.json"));
}

TEST_CASE("another version is refused with both versions named") {
  const std::string message = failure_after([](auto& json) { json["version"] = 1; });
  CHECK(has(message, "version 1"));
  CHECK(has(message, "reads version 4"));
  CHECK(has(failure_after([](auto& json) { json["version"] = "1"; }), "/version"));
}

TEST_CASE("a missing part is named with its place") {
  CHECK(has(failure_after([](auto& json) { json.erase("answer"); }), "answer"));
  CHECK(has(failure_after([](auto& json) { json["answer"].erase("nodes"); }), "nodes"));
  CHECK(has(failure_after([](auto& json) { json["workloads"][1].erase("model"); }), "/workloads/1"));
  CHECK(has(failure_after([](auto& json) { json["prediction"]["time_to_train_s"].erase("low"); }), "low"));
}

TEST_CASE("a wrong type is named with its place") {
  CHECK(has(failure_after([](auto& json) { json["answer"]["nodes"] = "13"; }), "/answer/nodes"));
  CHECK(has(failure_after([](auto& json) { json["answer"]["nodes"] = -1; }), "/answer/nodes"));
  CHECK(has(failure_after([](auto& json) { json["workloads"] = 3; }), "/workloads"));
  CHECK(has(failure_after([](auto& json) { json["warnings"] = {1}; }), "/warnings/0"));
  CHECK(has(failure_after([](auto& json) { json["assumptions"][0]["confidence"] = "sure"; }),
            "one of verified"));
  CHECK(has(failure_after([](auto& json) { json["kind"] = "guess"; }), "one of size, simulate"));
}

TEST_CASE("an interval that excludes its value is refused") {
  const std::string message =
      failure_after([](auto& json) { json["prediction"]["samples_per_s"]["low"] = 1e12; });
  CHECK(has(message, "low <= value <= high"));
}

TEST_CASE("a prediction in another unit is refused") {
  CHECK(has(failure_after([](auto& json) { json["prediction"]["time_to_train_s"]["unit"] = "days"; }),
            "\"s\""));
}

TEST_CASE("keys of a later program are ignored") {
  CHECK(failure_after([](auto& json) { json["answer"]["colour"] = "green"; }).empty());
}

namespace {

/// Every place in `json`, as JSON pointers.
void collect(const ordered_json& json, const std::string& at, std::vector<std::string>& places) {
  places.push_back(at);
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) {
      collect(value, at + "/" + key, places);
    } else {
      places.push_back(at + "/" + key);
    }
  }
}

/// Loads and renders; a damaged document may only end in an Error.
void try_everything(const std::string& text) {
  try {
    const ResultDocument document = load_result(text, "damaged.json");
    render_text(document);
    render_markdown(document);
    render_html(document);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("damaged.json") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("any one value replaced or removed gives a page or a readable error") {
  const auto whole = ordered_json::parse(example("fleet_infeasible.json"));
  std::vector<std::string> places;
  collect(whole, "", places);
  const std::vector<ordered_json> replacements{
      nullptr, -1, 1e300, 0, "<x>", ordered_json::array(), ordered_json::object(), true};
  for (const std::string& place : places) {
    CAPTURE(place);
    for (const ordered_json& replacement : replacements) {
      auto damaged = whole;
      damaged[ordered_json::json_pointer(place)] = replacement;
      try_everything(damaged.dump());
    }
  }
}

TEST_CASE("a document cut anywhere gives a readable error") {
  const std::string text = example("fleet_infeasible.json");
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    CHECK_THROWS_AS(load_result(text.substr(0, length), "cut.json"), Error);
  }
}

TEST_CASE("drawings and timelines of a result are checked before they become part of a page") {
  const auto shape = [](const ordered_json& shapes) {
    return failure_after([&shapes](auto& json) {
      json["drawings"] = {
          {{"of", "node"}, {"title", "t"}, {"width", 10}, {"height", 10}, {"shapes", shapes}}};
    });
  };
  const auto list = [](const char* text) {
    return ordered_json::parse(text);
  };
  CHECK(
      shape(
          list(
              R"([["rect", "gpu", 1, 2, 3, 4], ["line", "pcie", 1, 0, 0, 5, 5], ["text", "", 1, 2, "end", "<b>"]])"))
          .empty());
  CHECK(has(shape(list(R"([["circle", "gpu", 1, 2, 3]])")), "expected a shape"));
  CHECK(has(shape(list(R"([["rect", "gpu\" onload=\"x", 1, 2, 3, 4]])")), "expected the members of a rect"));
  CHECK(has(shape(list(R"([["rect", "gpu", 1, 2, 3]])")), "expected the members of a rect"));
  CHECK(has(shape(list(R"([["line", "pcie", 1, 0, 0, 5]])")), "expected the members of a line"));
  CHECK(has(shape(list(R"([["text", "", 1, 2, "up", "words"]])")), "expected one of start, middle, end"));
  CHECK(has(shape(list(R"([["rect", "gpu", "1", 2, 3, 4]])")), "number"));
  CHECK(has(failure_after([](auto& json) {
              json["workloads"][0]["timeline"] = {{"length_s", 0}};
            }),
            "expected a number above zero"));
  CHECK(has(failure_after([](auto& json) {
              json["workloads"][0]["evidence"] = {
                  {"nearest",
                   {{{"system", "s"},
                     {"model", "m"},
                     {"measured", 1},
                     {"predicted", {{"value", 1}, {"low", 1}, {"high", 1}, {"unit", "s"}}},
                     {"speed_ratio", {{"value", 1}, {"low", 0}, {"high", 1}, {"unit", "1"}}}}}}};
            }),
            "expected a ratio above zero"));
}
