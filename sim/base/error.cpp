#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

std::string place(const Where& where) {
  if (where.file.empty()) return {};
  std::string text = printable(where.file) + ':';
  if (where.line > 0) text += fmt::format("{}:", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format("{}:", where.column);
  return text + ' ';
}

/// The source line behind its number, and a caret below the column.
std::string source_line(const Where& where) {
  if (where.snippet.empty() || where.line <= 0) return {};
  std::string text = fmt::format("\n{:>5} | {}", where.line, printable(where.snippet));
  const int caret = where.caret > 0 ? where.caret : where.column;
  if (caret > 0) {
    // printable() keeps one character per character, so counting characters puts the caret right.
    const auto last = static_cast<int>(utf8_count(where.snippet)) + 1;
    text += fmt::format("\n      | {:>{}}", '^', std::min(caret, last));
  }
  return text;
}

std::string layout(const std::string& message, const Where& where, const std::string& hint) {
  const std::string clean = printable(message, true);
  const std::size_t first_end = std::min(clean.find('\n'), clean.size());
  std::string text = place(where) + "error: " + clean.substr(0, first_end) + source_line(where);
  for (std::size_t at = first_end; at < clean.size();) {
    const std::size_t end = std::min(clean.find('\n', at + 1), clean.size());
    text += "\n  " + clean.substr(at + 1, end - at - 1);
    at = end;
  }
  if (!hint.empty()) text += "\n  hint: " + printable(hint);
  return text;
}

}  // namespace

Error::Error(std::string message, Where where, std::string hint, ErrorKind kind)
    : message_(std::move(message)), where_(std::move(where)), hint_(std::move(hint)), kind_(kind) {
  text_ = layout(message_, where_, hint_);
}

}  // namespace rackcast
