// Reasons of a document: each kind has one sentence, which needs no more than the kind has.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/document/form/reason_form.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

using namespace rackcast;
using doc::Reason, doc::ReasonKind;

namespace {

Reason read(const std::string& text) {
  return doc::Custom<Reason>::read(parse_json(text, "reason.json"));
}

/// A reason of the kind, with or without what may be absent.
Reason sample(const ReasonKind& kind, bool everything) {
  nlohmann::ordered_json json{{"code", kind.code}};
  const auto add = [&](std::string_view keys, const nlohmann::ordered_json& value) {
    while (!keys.empty()) {
      const std::string_view key = keys.substr(0, keys.find(' '));
      keys.remove_prefix(std::min(keys.size(), key.size() + 1));
      if (!key.ends_with('?'))
        json[std::string{key}] = value;
      else if (everything)
        json[std::string{key.substr(0, key.size() - 1)}] = value;
    }
  };
  add(kind.texts, "so-and-so");
  add(kind.numbers, 3);
  return read(json.dump());
}

}  // namespace

TEST_CASE("every kind of reason has one sentence, which is made of the facts of its kind") {
  std::set<std::string_view> with_sentence;
  for (const std::string_view code : reports::codes_with_sentence()) CHECK(with_sentence.insert(code).second);
  CHECK(with_sentence.size() == doc::reason_kinds().size());
  for (const ReasonKind& kind : doc::reason_kinds()) {
    CAPTURE(kind.code);
    CHECK(with_sentence.contains(kind.code));
    CHECK_FALSE(kind.meaning.empty());
    for (const bool everything : {false, true})
      CHECK_FALSE(reports::reason_text(sample(kind, everything)).empty());
  }
}

TEST_CASE("a reason is written as it is read") {
  const Reason told{
      "breaks", {{"nodes", 3}}, {Reason{"limit", {{"limit", "racks"}, {"allowed", "2 racks"}}}}};
  const std::string text = doc::Custom<Reason>::write(told).dump();
  CHECK(text ==
        R"({"code":"breaks","nodes":3.0,"parts":[{"code":"limit","limit":"racks","allowed":"2 racks"}]})");
  CHECK(read(text) == told);
  CHECK(reports::reason_text(told) == "3 nodes would do, but they break this limit: racks (2 racks allowed)");
}

TEST_CASE("a reason that lacks a fact, has one too many or is of no kind is an error at its place") {
  const auto fault = [](const std::string& text) {
    try {
      read(text);
    } catch (const Error& e) {
      return e.message();
    }
    return std::string{};
  };
  CHECK(fault(R"({"code": "misfit"})") == "the reason \"misfit\" needs the text \"why\"");
  CHECK(fault(R"({"code": "misfit", "why": 3})") == "the reason \"misfit\" needs the text \"why\"");
  CHECK(fault(R"({"code": "ended_early", "nodes": 3})") == "the reason \"ended_early\" has a key too many");
  CHECK(fault(R"({"code": "bad weather"})") == "there is no reason \"bad weather\"");
  CHECK_THROWS_AS((Reason{"misfit", {{"nodes", 3}}}), std::logic_error);
}
