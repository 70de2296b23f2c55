/// Every assumption with its source and how far it can be trusted. The terminal gets the count; what rests on
/// memory alone is flagged everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

using Confidence = Assumption::Confidence;
constexpr std::array order{Confidence::verified, Confidence::fit, Confidence::scenario, Confidence::defaulted,
                           Confidence::memory};
constexpr std::size_t names_on_terminal = 4;

std::string_view explain(Confidence confidence) {
  switch (confidence) {
    case Confidence::verified:
      return "verified in the source";
    case Confidence::fit:
      return "fitted to measurements";
    case Confidence::scenario:
      return "from the scenario";
    case Confidence::defaulted:
      return "by default";
    case Confidence::memory:
      return "from memory";
  }
  return "";
}

std::int64_t number_of(const ResultDocument& document, Confidence confidence) {
  return std::ranges::count(document.assumptions, confidence, &Assumption::confidence);
}

std::string summary(const ResultDocument& document) {
  std::string text;
  for (const Confidence confidence : order) {
    if (const auto count = number_of(document, confidence); count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, explain(confidence));
    }
  }
  return counted(std::ssize(document.assumptions), "assumption") + ": " + text + ".";
}

std::string flagged_names(const ResultDocument& document) {
  std::string names;
  std::size_t listed = 0;
  const auto total = static_cast<std::size_t>(number_of(document, Confidence::memory));
  for (const Assumption& assumption : document.assumptions) {
    if (assumption.confidence == Confidence::memory && listed < names_on_terminal) {
      names += (listed == 0 ? "" : "; ") + assumption.name;
      ++listed;
    }
  }
  return total > listed ? fmt::format("{} and {} more", names, total - listed) : names;
}

/// The date that a source names, "2018" or "2023-11-16"; empty if it names none.
std::string date_in(const std::string& source) {
  static const std::regex iso(R"((^|[^0-9A-Za-z@/_-])((?:19|20)\d\d-\d\d-\d\d)(?![0-9]))");
  static const std::regex year(
      R"((^|[ (,/])((?:19[89]|20[0-4])\d)(?![0-9A-Za-z_.]|-[0-9]{3}| [GMTk]?B| MHz| W\b))");
  std::smatch found;
  if (std::regex_search(source, found, iso) || std::regex_search(source, found, year)) return found[2].str();
  return {};
}

Table assumption_table(const ResultDocument& document) {
  Table table;
  table.caption = "Assumptions";
  table.columns = {{"Assumption"}, {"Value", Align::right}, {"Confidence"}, {"Date"}, {"Source"}, {"Set at"}};
  for (const Assumption& assumption : document.assumptions) {
    Cell confidence = text_cell(std::string(to_string(assumption.confidence)));
    if (assumption.confidence == Confidence::memory) {
      confidence = {.text = "⚠ memory, unverified", .value = {}, .unit = {}, .tone = Tone::caution};
    }
    table.rows.push_back({text_cell(assumption.name), text_cell(assumption.value), confidence,
                          text_cell(date_in(assumption.source)), text_cell(assumption.source),
                          text_cell(assumption.where)});
  }
  return table;
}

}  // namespace

Blocks assumptions_section(const ResultDocument& document) {
  if (document.assumptions.empty()) {
    return {};
  }
  Blocks blocks{
      {Paragraph{summary(document)}, Audience::document},
      {Paragraph{summary(document) + " The HTML report lists each with its source."}, Audience::terminal}};
  if (number_of(document, Confidence::memory) > 0) {
    blocks.push_back({Note{Tone::caution, "From memory, unverified", flagged_names(document)}});
  }
  blocks.push_back({assumption_table(document), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
