#pragma once
/// What no result may say, whatever was asked: a number that is none, a negative time or amount, an interval
/// that excludes its value, parts that do not add up to their whole. Every test that makes a document of a
/// result or a campaign runs it (checked_json_text, checked_campaign; the program's own output in tests/cli).
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rackcast {

/// One line for each fault of a "rackcast-result" or "rackcast-campaign" document, with its JSON pointer.
std::vector<std::string> document_faults(std::string_view json_text);

/// Fails the test that made the text, if it has a fault; returns the text.
inline std::string checked(std::string json_text) {
  std::string faults;
  for (const std::string& fault : document_faults(json_text)) faults += fault + "\n";
  CHECK(faults == "");
  return json_text;
}

template <class Result>
std::string checked_json_text(const Result& result) {
  return checked(to_json_text(result));
}
template <class... Arguments>
std::string checked_campaign(const Arguments&... arguments) {
  return checked(campaign_document(arguments...));
}

}  // namespace rackcast
