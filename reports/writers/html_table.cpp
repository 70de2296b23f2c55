#include "reports/writers/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr int widest_unbroken = 22;  ///< a row's name up to this many letters stays on one line

constexpr int widest_number = 26;  ///< beyond, what stands in a column of numbers is a sentence
constexpr int widest_short = 13;   ///< a column of words up to this long needs no room beyond them
constexpr int least_prose = 32;    ///< a column with a longer cell is given room

constexpr std::size_t most_columns_narrow = 4;  ///< of a table that a small screen has room for
constexpr std::size_t most_rows_unbroken = 4;   ///< a longer table may run over a printed page

/// How wide a column has to be: numbers and short words as wide as they are, sentences with room to flow.
std::string_view column_class(const Table& table, std::size_t column) {
  if (table.columns[column].align == Align::right) return "number";
  int widest = 0;
  for (const auto& row : table.rows) widest = std::max(widest, display_width(row[column].text));
  return widest <= widest_short ? "brief" : widest > least_prose ? "prose" : "";
}

std::string class_of(std::string_view name) {
  return name.empty() ? std::string{} : fmt::format(" class=\"{}\"", name);
}

/// `text` with each `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string kept_together(const std::string& html) {
  return "<span class=\"whole\">" + html + "</span>";
}

/// Line and column at the end of a place, ":29:5", stay on one line.
std::string with_place_kept(const std::string& html) {
  const auto last = html.find_last_not_of("0123456789:");
  const auto at = html.find(':', last == std::string::npos ? 0 : last);
  return at == std::string::npos || at + 1 == html.size()
             ? html
             : html.substr(0, at) + kept_together(html.substr(at));
}

/// A number breaks only in front of its interval, a path and a long name after a slash or a line below.
std::string cell_html(const Cell& cell, const Column& column) {
  if (cell.text.empty()) {
    return "–";
  }
  const std::string text = html_escape(cell.text);
  if (column.align == Align::right && display_width(cell.text) <= widest_number) {
    const auto interval = text.find(" (");
    if (interval == std::string::npos) return kept_together(text);
    return kept_together(text.substr(0, interval)) + " " + kept_together(text.substr(interval + 1));
  }
  return with_place_kept(replaced(replaced(text, "/", "/<wbr>"), "_", "_<wbr>"));
}

std::string head_row(const Table& table) {
  std::string out = "<thead role=\"rowgroup\"><tr role=\"row\">";
  for (const Column& column : table.columns) {
    out += fmt::format("<th scope=\"col\" role=\"columnheader\"{}>{}</th>",
                       class_of(column.align == Align::right ? "number" : ""), html_escape(column.title));
  }
  return out + "</tr></thead>\n";
}

std::string body_row(const Table& table, const std::vector<Cell>& row,
                     const std::vector<std::string_view>& classes, bool cards) {
  Tone tone = Tone::plain;
  for (const Cell& cell : row) {
    tone = cell.tone == Tone::plain ? tone : cell.tone;
  }
  std::string out = fmt::format("<tr role=\"row\" class=\"{}\">", tone_class(tone));
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Column& column = table.columns[i];
    const bool heads_row = i == 0, keep = heads_row && display_width(row[i].text) <= widest_unbroken;
    const std::string_view kind = column.align == Align::left && keep ? "keep" : classes[i];
    // On a narrow page a card shows the column's title beside the cell, which then has to be one element.
    out += fmt::format("<{0} data-label=\"{1}\"{2}>{3}{4}{5}</{6}>",
                       heads_row ? "th scope=\"row\" role=\"rowheader\"" : "td role=\"cell\"",
                       html_escape(column.title), class_of(kind), cards ? "<span>" : "",
                       cell_html(row[i], column), cards ? "</span>" : "", heads_row ? "th" : "td");
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
  const bool cards = table.columns.size() >= 3, may_break = table.rows.size() > most_rows_unbroken;
  std::vector<std::string_view> classes;
  for (std::size_t i = 0; i < table.columns.size(); ++i) classes.push_back(column_class(table, i));
  const bool many = table.columns.size() > most_columns_narrow;
  std::string out = fmt::format("<table role=\"table\" class=\"{}{}\">\n",
                                !cards ? "plain"
                                : many ? "many"
                                       : "few",
                                may_break ? "" : " unbroken");
  if (!table.caption.empty()) {
    out += fmt::format("<caption>{}</caption>\n", html_escape(table.caption));
  }
  out += head_row(table) + "<tbody role=\"rowgroup\">\n";
  for (const auto& row : table.rows) {
    out += body_row(table, row, classes, cards);
  }
  return out + "</tbody>\n</table>\n";
}

}  // namespace rackcast::reports
