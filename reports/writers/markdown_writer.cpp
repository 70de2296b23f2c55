/// Blocks as Markdown (CommonMark with the tables of GitHub). Nothing in a text can start markup of its own.
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "reports/blocks/display_text.hpp"
#include "reports/writers/writers.hpp"

namespace rackcast::reports {
namespace {

/// One line with every letter that could act as markup escaped.
std::string escape(std::string_view text) {
  std::string out;
  for (const char letter : single_line(text)) {
    if (std::string_view("\\`*_[]<>|~&$#!").find(letter) != std::string_view::npos) {
      out += '\\';
    }
    out += letter;
  }
  return out;
}

/// As escape, for a text that opens a line: "1. ", "2) ", "- ", "+ " and "===" there would be a list or a
/// rule.
std::string escape_line(std::string_view text) {
  std::string line = escape(text);
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view openers = digits == 0 ? "-+=" : ".)";
  if (digits < line.size() && openers.find(line[digits]) != std::string_view::npos) {
    line.insert(digits, "\\");
  }
  return line;
}

class MarkdownWriter {
 public:
  std::string write(const Report& report) {
    if (!report.title.empty()) {
      put("# " + escape(report.title));
    }
    if (!report.subtitle.empty()) {
      put("\n" + escape_line(report.subtitle));
    }
    for (const Section& section : report.sections) {
      const auto shown = [](const Block& block) {
        return block.audience != Audience::terminal && !needs_a_page(block);
      };
      if (std::ranges::none_of(section.blocks, shown)) continue;
      if (!section.title.empty()) {
        put("\n## " + escape(section.title));
      }
      for (const Block& block : section.blocks) {
        if (shown(block)) {
          put("");
          std::visit([this](const auto& body) { render(body); }, block.body);
        }
      }
    }
    return std::move(out_);
  }

 private:
  void render(const Headline& headline) {
    put("> **" + escape(headline.title) + "**");
    if (!headline.verdict.empty()) put(">\n> " + escape_line(headline.verdict) + ".");
    if (!headline.lead.empty()) {
      put(">\n> " + escape_line(headline.lead));
    }
    if (!headline.facts.empty()) {
      put("");
      render(KeyValues{headline.facts});
    }
  }

  void render(const Subheading& heading) { put("### " + escape(heading.text)); }
  void render(const Paragraph& paragraph) { put(escape_line(paragraph.text)); }

  void render(const List& list) {
    for (const auto& item : list.items) {
      put("- " + escape_line(item));
    }
  }

  void render(const KeyValues& pairs) {
    for (const Fact& fact : pairs.rows) {
      const std::string detail = fact.detail.empty() ? "" : " — " + escape(fact.detail);
      put("- **" + escape(fact.label) + ":** " + escape(fact.value) + detail);
    }
  }

  void render(const Note& note) {
    put("> " + (note.title.empty() ? "" : "**" + escape(note.title) + ":** ") +
        (note.title.empty() ? escape_line(note.text) : escape(note.text)));
  }

  void render(const Table& table) {
    if (table.columns.empty()) {
      return;
    }
    if (!table.caption.empty()) {
      put("**" + escape(table.caption) + "**\n");
    }
    std::string titles = "|", rule = "|";
    for (const Column& column : table.columns) {
      titles += " " + escape(column.title) + " |";
      rule += column.align == Align::right ? " ---: |" : " :--- |";
    }
    put(titles);
    put(rule);
    for (const auto& row : table.rows) {
      std::string line = "|";
      for (const Cell& cell : row) {
        line += " " + (cell.text.empty() ? "–" : escape(cell.text)) + " |";
      }
      put(line);
    }
  }

  void render(const StackedBar& bar) {
    put("**" + escape(bar.caption) + "**" + (bar.total_text.empty() ? "" : ": " + escape(bar.total_text)) +
        "\n");
    for (const auto& part : bar.parts) {
      put("- " + escape_line(part.label) + ": " + escape(part.text));
    }
  }

  void render(const Chart& chart) { render(chart.data); }
  void render(const BarChart& chart) { render(chart.data); }
  void render(const Drawing& drawing) {
    put("**" + escape(drawing.caption) + "**\n");
    put(escape_line(drawing.alternative));
  }
  void render(const WhatIf&) {}  // moves only on a page
  void render(const AskAgain&) {}

  void render(const Code& code) {
    if (!code.caption.empty()) {
      put(escape_line(code.caption) + ":\n");
    }
    // A fence longer than any run of backticks inside cannot be closed by the text.
    std::size_t longest = 2, run = 0;
    for (const char letter : code.text) {
      run = letter == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    put(fence);
    std::string_view rest = code.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      put(single_line(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    put(fence);
  }

  void put(std::string_view line) {
    out_ += line;
    out_ += '\n';
  }

  std::string out_;
};

}  // namespace

std::string write_markdown(const Report& report) {
  return MarkdownWriter().write(report);
}

}  // namespace rackcast::reports
