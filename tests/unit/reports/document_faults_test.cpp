// The checker of documents finds what it is there for.
#include "tests/document_faults.hpp"

#include <doctest/doctest.h>

namespace rackcast {
namespace {

std::string fault_of(const std::string& json) {
  const auto all = document_faults(json);
  return all.empty() ? "" : all.front();
}

}  // namespace

TEST_CASE("a document that holds together has no fault") {
  CHECK(fault_of(R"({"a": {"value": 2, "low": 1, "high": 3}, "b": [0, 1.5], "none": null})") == "");
  CHECK(fault_of(R"({"step": {"parts": [{"seconds": 0.1}, {"seconds": 0.2}], "total_s": 0.3}})") == "");
  CHECK(fault_of(R"({"scenario": {"text": {"x": -1}}})") == "");  // the user's own
  CHECK(fault_of(R"({"statement": "information on finance and nano-infrastructure"})") == "");
}

TEST_CASE("every kind of fault is found at its place") {
  CHECK(fault_of(R"({"a": [{"start_s": -0.1}]})") == "/a/0/start_s is -0.1, and nothing here is negative");
  CHECK(fault_of(R"({"a": {"value": 4, "low": 1, "high": 3}})").starts_with("/a has low 1 <= value 4"));
  CHECK(fault_of(R"({"a": {"value": 2, "low": null, "high": 3}})").starts_with("/a knows only a part"));
  CHECK(
      fault_of(R"({"w": {"p50_s": 2, "p50_low_s": 3, "p50_high_s": 4}})").starts_with("/w has p50_low_s 3"));
  CHECK(fault_of(R"({"step": {"parts": [{"seconds": 1}], "total_s": 2}})")
            .starts_with("/step parts of the step"));
  CHECK(fault_of(R"({"site": {"bill": [{"total_usd": 1}], "bill_total_usd": 3}})")
            .starts_with("/site rows of the"));
  CHECK(fault_of(R"({"statement": "takes inf days"})").starts_with("/statement holds a number that is none"));
  CHECK(fault_of(R"({"statement": "costs nan USD"})").starts_with("/statement holds a number that is none"));
}

}  // namespace rackcast
