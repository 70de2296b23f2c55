#include "reports/sentences/row_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rackcast::reports {

const RowSentence* find_row(const doc::Reason& reason) {
  for (const auto rows : {assumption_rows(), ladder_rows()}) {
    const auto found = std::ranges::find(rows, reason.code(), &RowSentence::code);
    if (found != rows.end()) return &*found;
  }
  return nullptr;
}

const RowSentence& row_of(const doc::Reason& reason) {
  if (const RowSentence* row = find_row(reason)) return *row;
  throw std::logic_error{fmt::format("the reason \"{}\" is no row of a table", reason.code())};
}

std::string name_of(const doc::Assumption& assumption) {
  return row_of(assumption.what).name(assumption.what);
}

std::string value_of(const doc::Assumption& assumption) {
  return row_of(assumption.what).value(assumption.what);
}

std::string source_of(const doc::Assumption& assumption) {
  const RowSentence& row = row_of(assumption.what);
  std::string out = assumption.source;
  if (out.empty() && assumption.confidence == doc::Assumption::Confidence::scenario) out = "the scenario";
  const std::string more = row.how ? row.how(assumption.what) : std::string{};
  if (!out.empty() && !more.empty()) out += "; ";
  return out + more;
}

std::string name_of(const doc::LadderRung& rung) {
  return row_of(rung.what).name(rung.what);
}

std::string value_of(const doc::LadderRung& rung) {
  return row_of(rung.what).value(rung.what);
}

std::string how_of(const doc::LadderRung& rung) {
  const RowSentence& row = row_of(rung.what);
  return row.how ? row.how(rung.what) : std::string{};
}

}  // namespace rackcast::reports
