#pragma once
/// A report as neutral blocks. A section says what is on the page; a writer (text, Markdown, HTML, later CSV
/// and XLSX) says how it looks there. So a section is written once and no writer knows about results.
///
/// Every string is plain UTF-8 and not yet escaped: the writers escape, nobody else does.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rackcast::reports {

enum class Tone { plain, good, bad, caution };
enum class Align { left, right };

/// Who sees a block. The terminal is for the decision and its reasons; documents carry the evidence.
enum class Audience { everyone, terminal, document };

/// "Time to train | 13.4 days (11.9 to 15.2) | 90 % interval".
struct Fact {
  std::string label;
  std::string value;
  std::string detail;
};

/// The box that answers the question.
struct Headline {
  Tone tone = Tone::plain;
  std::string kicker;  ///< small line above the title
  std::string title;
  std::string lead;  ///< one or two sentences
  std::vector<Fact> facts;
};

struct Subheading {
  std::string text;
};

struct Paragraph {
  std::string text;
};

struct List {
  std::vector<std::string> items;
};

struct KeyValues {
  std::vector<Fact> rows;
};

/// Something the reader must not miss, in running text.
struct Note {
  Tone tone = Tone::plain;
  std::string title;
  std::string text;
};

struct Column {
  std::string title;
  Align align = Align::left;
  int drop_order = 0;  ///< on a narrow terminal the highest goes first; 0 stays
};

/// What people read, and where there is one the number behind it (for sorting and spreadsheets).
struct Cell {
  std::string text;
  std::optional<double> value;  ///< in `unit`
  std::string unit;
  Tone tone = Tone::plain;
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`; the first cell heads its row
};

/// Parts of a whole, drawn to scale in order.
struct StackedBar {
  struct Part {
    std::string label;
    double value = 0;  ///< not negative
    std::string text;  ///< the value for people
  };
  std::string caption;
  std::string total_text;
  std::vector<Part> parts;
};

/// Lines over two logarithmic axes. The table behind the chart is a block of its own, placed after it.
struct Chart {
  enum class Scale { count, seconds };  ///< how ticks are chosen and written
  struct Axis {
    std::string label;  ///< with its unit
    Scale scale = Scale::count;
  };
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;  ///< all positive; low = high = y where there is no interval
  };
  struct Line {
    std::string name;
    std::vector<Point> points;  ///< ascending x
    bool dashed = false;        ///< a reference (ideal, limit), not a result
    bool scattered = false;     ///< points that no line joins, in any order
  };
  std::string caption;  ///< the message of the chart
  Axis x, y;
  std::vector<Line> lines;
  std::optional<double> marked_x;  ///< the chosen point
  std::string marked_label;
};

/// Text to copy: a command, a scenario.
struct Code {
  std::string caption;
  std::string text;
  bool folded = false;  ///< long; a document may hide it behind a click
};

struct Block {
  using Body =
      std::variant<Headline, Subheading, Paragraph, List, KeyValues, Note, Table, StackedBar, Chart, Code>;
  Body body;
  Audience audience = Audience::everyone;
};

using Blocks = std::vector<Block>;

struct Section {
  std::string id;  ///< anchor and file name: [a-z0-9-]
  std::string title;
  Blocks blocks;
};

/// Such a section carries its title in the box.
inline bool opens_with_headline(const Section& section) {
  return !section.blocks.empty() && std::holds_alternative<Headline>(section.blocks.front().body);
}

/// A whole page; the catalogue's tables are one too.
struct Report {
  std::string title;
  std::string subtitle;
  std::vector<Section> sections;
};

}  // namespace rackcast::reports
