#include "reports/html_table.hpp"

#include <fmt/format.h>

#include "reports/display_text.hpp"
#include "reports/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr int widest_unbroken = 22;  ///< a row's name up to this many letters stays on one line

std::string_view number_class(const Column& column) {
  return column.align == Align::right ? " class=\"number\"" : "";
}

constexpr int widest_number = 32;  ///< beyond, what stands in a column of numbers is a sentence

constexpr std::size_t most_rows_unbroken = 4;  ///< a longer table may run over a printed page
constexpr std::size_t most_rows_short = 10;    ///< a longer one gives its last columns their room

/// `text` with each `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// A number breaks only in front of its interval, a path and a long name after a slash or a line below.
std::string cell_html(const Cell& cell, const Column& column) {
  if (cell.text.empty()) {
    return "–";
  }
  const std::string text = html_escape(cell.text);
  if (column.align == Align::right && display_width(cell.text) <= widest_number) {
    return replaced(replaced(text, " ", "&nbsp;"), "&nbsp;(", " (");
  }
  return replaced(replaced(text, "/", "/<wbr>"), "_", "_<wbr>");
}

std::string head_row(const Table& table) {
  std::string out = "<thead role=\"rowgroup\"><tr role=\"row\">";
  for (const Column& column : table.columns) {
    out += fmt::format("<th scope=\"col\" role=\"columnheader\"{}>{}</th>", number_class(column),
                       html_escape(column.title));
  }
  return out + "</tr></thead>\n";
}

std::string body_row(const Table& table, const std::vector<Cell>& row) {
  Tone tone = Tone::plain;
  for (const Cell& cell : row) {
    tone = cell.tone == Tone::plain ? tone : cell.tone;
  }
  std::string out = fmt::format("<tr role=\"row\" class=\"{}\">", tone_class(tone));
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Column& column = table.columns[i];
    const bool heads_row = i == 0, keep = heads_row && display_width(row[i].text) <= widest_unbroken;
    const auto kind = column.align == Align::left && keep ? " class=\"keep\"" : number_class(column);
    out += fmt::format("<{0} data-label=\"{1}\"{2}>{3}</{4}>",
                       heads_row ? "th scope=\"row\" role=\"rowheader\"" : "td role=\"cell\"",
                       html_escape(column.title), kind, cell_html(row[i], column), heads_row ? "th" : "td");
  }
  return out + "</tr>\n";
}

}  // namespace

std::string_view tone_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::caution:
      return "caution";
    case Tone::plain:
      break;
  }
  return "plain";
}

std::string html_table(const Table& table) {
  // Explicit roles: on a narrow page the rows become cards, and display: block alone would hide the table
  // from screen readers.
  const bool cards = table.columns.size() >= 3, is_long = table.rows.size() > most_rows_short;
  const bool may_break = table.rows.size() > most_rows_unbroken;
  std::string out = fmt::format("<table role=\"table\" class=\"{}{}\">\n", cards ? "cards" : "plain",
                                is_long     ? " long"
                                : may_break ? ""
                                            : " unbroken");
  if (!table.caption.empty()) {
    out += fmt::format("<caption>{}</caption>\n", html_escape(table.caption));
  }
  out += head_row(table) + "<tbody role=\"rowgroup\">\n";
  for (const auto& row : table.rows) {
    out += body_row(table, row);
  }
  return out + "</tbody>\n</table>\n";
}

}  // namespace rackcast::reports
