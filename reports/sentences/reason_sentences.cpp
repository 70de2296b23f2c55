#include "reports/sentences/reason_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reports/blocks/format.hpp"
#include "reports/sentences/row_sentences.hpp"

namespace rackcast::reports {

namespace {

constexpr std::span<const ReasonSentence> (*groups[])() = {limit_sentences, split_sentences, fleet_sentences,
                                                           warning_sentences};

}  // namespace

std::string reason_text(const doc::Reason& reason) {
  for (const auto group : groups) {
    const auto sentences = group();
    const auto found = std::ranges::find(sentences, reason.code(), &ReasonSentence::code);
    if (found != sentences.end()) return found->text(reason);
  }
  if (const RowSentence* row = find_row(reason)) return row->name(reason) + ": " + row->value(reason);
  throw std::logic_error{fmt::format("the reason \"{}\" has no sentence", reason.code())};
}

std::string why_text(const std::optional<doc::Reason>& why) {
  return why ? reason_text(*why) : std::string{};
}

std::vector<std::string_view> codes_with_sentence() {
  std::vector<std::string_view> out;
  for (const auto group : groups)
    for (const ReasonSentence& one : group()) out.push_back(one.code);
  for (const auto group : {assumption_rows(), ladder_rows()})
    for (const RowSentence& one : group) out.push_back(one.code);
  return out;
}

std::string parts_text(const doc::Reason& reason, std::string_view separator) {
  std::string out;
  for (const doc::Reason& part : reason.parts) {
    if (!out.empty()) out += separator;
    out += reason_text(part);
  }
  return out;
}

std::string also(const doc::Reason& reason) {
  return reason.parts.empty() ? "" : " " + parts_text(reason, " ");
}

std::string counted(const doc::Reason& reason, std::string_view key, std::string_view singular) {
  return counted(std::llround(reason.number(key)), singular);
}

}  // namespace rackcast::reports
