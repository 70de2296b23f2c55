/// Blocks as terminal text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/text_style.hpp"
#include "reports/writers/text_table.hpp"
#include "reports/writers/writers.hpp"

namespace rackcast::reports {
namespace {

class TextWriter {
 public:
  explicit TextWriter(const TextOptions& options)
      : width_(std::clamp(options.width, 40, 120)),
        widest_(std::clamp(options.width, 40, 240)),
        colour_(options.colour),
        ascii_(options.ascii),
        glyphs_(options.ascii ? ascii_glyphs : block_glyphs) {}

  std::string write(const Report& report) {
    const bool boxed = !report.sections.empty() && opens_with_headline(report.sections.front());
    if (boxed) {
      title_ = report.title;  // goes into the frame
    } else if (!report.title.empty()) {
      for (const auto& line : wrap(single_line(report.title), width_)) {
        put(paint(line, Style::bold));
      }
    }
    for (const Section& section : report.sections) {
      write_section(section);
    }
    return ascii_ ? plain_signs(std::move(out_)) : std::move(out_);
  }

 private:
  void write_section(const Section& section) {
    const bool seen = std::ranges::any_of(section.blocks, &TextWriter::shown);
    if (!seen) {
      return;
    }
    blank();
    if (!opens_with_headline(section) && !section.title.empty()) {
      const auto title = wrap(single_line(section.title), width_);
      for (std::size_t i = 0; i + 1 < title.size(); ++i) put(paint(title[i], Style::heading));
      const int rule = width_ - display_width(title.back()) - 1;
      put(paint(title.back(), Style::heading) +
          (rule > 0 ? " " + paint(repeat(glyphs_.horizontal, rule), Style::dim) : ""));
    }
    for (const Block& block : section.blocks) {
      if (shown(block)) {
        std::visit([this](const auto& body) { render(body); }, block.body);
      }
    }
  }

  static bool shown(const Block& block) {
    return block.audience != Audience::document && !needs_a_page(block);
  }

  void render(const Headline& headline) {
    const int inner = width_ - 4;
    const std::string kicker = frame_label(headline.kicker, inner);
    const int rest = width_ - 3 - display_width(kicker);
    put(frame(std::string(glyphs_.top_left) + std::string(glyphs_.horizontal)) + paint(kicker, Style::bold) +
        frame(repeat(glyphs_.horizontal, rest) + std::string(glyphs_.top_right)));
    const bool judged = !headline.verdict.empty() || headline.tone == Tone::plain;
    for (const auto& line : wrap(single_line(headline.title), inner))
      boxed(line, judged ? Style::bold : tone_style(headline.tone));
    if (!headline.verdict.empty())
      for (const auto& line : wrap(single_line(headline.verdict) + ".", inner))
        boxed(line, tone_style(headline.tone));
    for (const auto& line :
         headline.lead.empty() ? std::vector<std::string>{} : wrap(single_line(headline.lead), inner)) {
      boxed(line, "");
    }
    for (const auto& line : fact_lines(headline.facts, inner)) {
      boxed(line, "");
    }
    put(frame(std::string(glyphs_.bottom_left) + repeat(glyphs_.horizontal, width_ - 2) +
              std::string(glyphs_.bottom_right)));
  }

  void render(const Subheading& heading) { put(paint(single_line(heading.text), Style::bold)); }

  void render(const Paragraph& paragraph) { flow("  ", "  ", paragraph.text); }

  void render(const List& list) {
    for (const auto& item : list.items) {
      flow("  " + std::string(glyphs_.bullet) + " ", "    ", item);
    }
  }

  void render(const KeyValues& pairs) {
    for (const auto& line : fact_lines(pairs.rows, width_ - 2)) {
      put("  " + line);
    }
  }

  void render(const Note& note) {
    const std::string title = note.title.empty() ? "" : note.title + ": ";
    flow("  ! ", "    ", title + note.text, tone_style(note.tone));
  }

  void render(const Table& table) {
    // A caption stands where the first column has no title, if it fits.
    if (!table.columns.empty() && table.columns.front().title.empty() && !table.caption.empty()) {
      Table headed = table;
      std::swap(headed.columns.front().title, headed.caption);
      const TextTableLayout wide = lay_out(headed, widest_ - 2);
      const bool whole = wide.widths.front() >= display_width(headed.columns.front().title);
      if (wide.total() <= widest_ - 2 && whole && !breaks_words(headed, wide)) return render(headed);
    }
    if (!table.caption.empty()) flow("  ", "  ", table.caption + ":");
    const TextTableLayout layout = lay_out(table, widest_ - 2);
    if (layout.total() > widest_ - 2 || breaks_words(table, layout)) return list_rows(table);
    std::vector<std::string> titles;
    for (const Column& column : table.columns) {
      titles.push_back(column.title);
    }
    if (std::ranges::any_of(titles, [](const std::string& title) { return !title.empty(); })) {
      for (const auto& line : row_lines(titles, table, layout)) {
        put("  " + paint(line, Style::column));
      }
    }
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      Tone tone = Tone::plain;
      for (const Cell& cell : row) {
        cells.push_back(cell.text.empty() ? std::string(glyphs_.missing) : cell.text);
        tone = cell.tone == Tone::plain ? tone : cell.tone;
      }
      for (const auto& line : row_lines(cells, table, layout)) {
        put("  " + paint(line, tone_style(tone)));
      }
    }
  }

  /// A table that is too wide: each row as a list of its cells.
  void list_rows(const Table& table) {
    for (const auto& row : table.rows) {
      std::vector<Fact> facts;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!row[i].text.empty()) facts.push_back({table.columns[i].title, row[i].text, {}});
      }
      for (const auto& line : fact_lines(facts, width_ - 4)) put("    " + line);
      if (&row != &table.rows.back()) put("");
    }
  }

  void render(const StackedBar& bar) {
    double total = 0;
    for (const auto& part : bar.parts) {
      total += part.value;
    }
    if (!(total > 0) || !std::isfinite(total)) {
      return;
    }
    flow("  ", "  ", bar.total_text.empty() ? bar.caption : bar.caption + ": " + bar.total_text);
    std::string drawn;
    std::vector<LegendEntry> legend;
    const int columns = width_ - 4;
    double reached = 0;
    int filled = 0;
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
      const std::string fill =
          paint(glyphs_.fills[i % glyphs_.fills.size()], part_colours[i % part_colours.size()]);
      reached += bar.parts[i].value;
      const int until = static_cast<int>(std::lround(columns * reached / total));
      drawn += repeat(fill, until - filled);
      filled = until;
      if (bar.parts[i].value > 0) {
        const std::string share = fmt::format(" {:.0f} %", 100 * bar.parts[i].value / total);
        legend.push_back({fill, single_line(bar.parts[i].label) + share});
      }
    }
    put("    " + drawn);
    put_legend(legend);
  }

  void render(const Chart& chart) { render(chart.data); }
  void render(const BarChart& chart) { render(chart.data); }
  void render(const Drawing& drawing) { flow("  ", "  ", drawing.caption + ": " + drawing.alternative); }
  void render(const WhatIf&) {}  // moves only on a page
  void render(const AskAgain&) {}

  void render(const Code& code) {
    if (!code.caption.empty()) {
      flow("  ", "  ", code.caption);
    }
    std::string_view rest = code.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      put("    " + single_line(rest.substr(0, end)));  // never broken: it is there to be copied
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  /// "label   value  detail", values in one column, long ones wrapped below themselves.
  std::vector<std::string> fact_lines(const std::vector<Fact>& facts, int width) const {
    int labels = 0;
    for (const Fact& fact : facts) {
      labels = std::max(labels, display_width(single_line(fact.label)));
    }
    labels = std::min(labels, width / 2);
    std::vector<std::string> lines;
    for (const Fact& fact : facts) {
      const bool aside = fact.detail.starts_with('(');
      const std::string value =
          fact.detail.empty() ? fact.value : fact.value + (aside ? " " : ", ") + fact.detail;
      const auto left = wrap(single_line(fact.label), labels),
                 right = wrap(single_line(value), width - labels - 2);
      for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        std::string line = pad_right(i < left.size() ? left[i] : "", labels) + "  ";
        line += i < right.size() ? right[i] : "";
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }

  /// " Decision: the scenario's name " on the upper edge of a box, cut to fit.
  std::string frame_label(const std::string& kicker, int most) {
    std::string label = single_line(kicker + (kicker.empty() || title_.empty() ? "" : ": ") + title_);
    title_.clear();
    if (display_width(label) > most - 2) {
      label = wrap(label, most - 3).front() + "…";
    }
    return label.empty() ? "" : " " + label + " ";
  }

  void boxed(std::string_view line, std::string_view style) {
    put(frame(glyphs_.vertical) + " " + paint(pad_right(line, width_ - 4), style) + " " +
        frame(glyphs_.vertical));
  }

  void flow(std::string first, const std::string& next, std::string_view text, std::string_view style = {}) {
    for (const auto& line : wrap(single_line(text), width_ - display_width(next))) {
      put(first + paint(line, style));
      first = next;
    }
  }

  /// Entries side by side, each kept whole.
  void put_legend(const std::vector<LegendEntry>& entries) {
    constexpr int indent = 4, gap = 2;
    std::string line;
    int used = 0;
    for (const auto& entry : entries) {
      const int needed = 2 + display_width(entry.text);
      if (used > 0 && used + gap + needed > width_ - indent) {
        put(repeat(" ", indent) + line);
        line.clear();
        used = 0;
      }
      line += repeat(" ", used > 0 ? gap : 0) + entry.key + " " + entry.text;
      used += needed + (used > 0 ? gap : 0);
    }
    put(repeat(" ", indent) + line);
  }

  [[nodiscard]] std::string frame(std::string_view text) const { return paint(text, Style::dim); }

  [[nodiscard]] std::string paint(std::string_view text, std::string_view style) const {
    if (!colour_ || style.empty() || text.empty()) {
      return std::string(text);
    }
    return "\x1b[" + std::string(style) + "m" + std::string(text) + "\x1b[0m";
  }

  void blank() {
    if (!out_.empty()) {
      out_ += '\n';
    }
  }

  void put(std::string_view line) {
    out_ += line;
    out_ += '\n';
  }

  int width_;   ///< of sentences and frames, which a wide terminal does not make easier to read
  int widest_;  ///< of tables
  bool colour_, ascii_;
  const Glyphs& glyphs_;
  std::string title_;  ///< until a box has taken it
  std::string out_;
};

}  // namespace

std::string write_text(const Report& report, const TextOptions& options) {
  return TextWriter(options).write(report);
}

}  // namespace rackcast::reports
