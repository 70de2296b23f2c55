#pragma once
/// A report as neutral blocks. A section says what is on the page; a writer (text, Markdown, HTML, CSV, XLSX)
/// says how it looks there. So a section is written once and no writer knows about results.
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
  int cut = 0;  ///< a page that is too long goes without: 1 first, 2 at last; 0: it stays
};

/// The box that answers the question.
struct Headline {
  Tone tone = Tone::plain;
  std::string kicker;  ///< small line above the title
  std::string title;
  std::string lead;  ///< one or two sentences
  std::vector<Fact> facts;
  std::string verdict = {};  ///< says in words what the tone says in colour; may be empty
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
  /// In a spreadsheet the column is worked out from others of its row, which the reader may change:
  /// "[Quantity] * [Unit price]". Empty: a plain value.
  std::string formula = {};
  bool total = false;           ///< a spreadsheet adds the column up below it
  std::string total_name = {};  ///< by which formulas of other tables may use that sum; empty: none
};

/// What people read, and where there is one the number behind it (for sorting and spreadsheets).
struct Cell {
  std::string text;
  std::optional<double> value;  ///< in `unit`
  std::string unit;
  Tone tone = Tone::plain;
  std::optional<double> low = {}, high = {};  ///< 90 % interval of `value`
  /// In a spreadsheet the value is worked out, from the names of sums and "{above}", the cells of the column
  /// up to here: "bill_total / 4", "SUM({above})". Empty: a plain value.
  std::string formula = {};
  std::string name = {};  ///< by which formulas of a spreadsheet may use the value; empty: none
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

/// A quantity along a line of a drawing. Values are in base units (s, B, B/s, 1/s, W, 1); the writer chooses
/// the unit that reads best and adds it to the label.
struct Axis {
  enum class Kind { count, seconds, days, bytes, bytes_per_s, per_second, watts, percent, money };
  std::string label;  ///< "Time to train"
  Kind kind = Kind::count;
  bool logarithmic = false;  ///< then all values are positive
};

/// Lines and points over two axes. `data` is the table behind the drawing: what a page shows below it, and
/// all that a page without drawings, a terminal or a spreadsheet gets.
struct Chart {
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;  ///< low = high = y where there is no interval
    std::string name = {};                   ///< shown when pointed at
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
  std::optional<double> marked_x;  ///< the chosen point of the first line
  std::string marked_label;
  Table data;
  std::string about_interval = {};       ///< what the interval drawn is of, or why there is none
  std::optional<double> cut_above = {};  ///< where the vertical axis ends, and bands that go on are cut
};

/// One value for each name, in order: bars, or points where the axis is logarithmic (a bar needs a zero).
struct BarChart {
  struct Bar {
    std::string label;
    double value = 0;
    std::string text;                 ///< the value for people
    std::optional<double> low, high;  ///< 90 % interval
    Tone tone = Tone::plain;          ///< good: chosen; caution: binds; bad: misses a limit
  };
  struct Limit {
    std::string label;  ///< "deadline, 14 days"
    double value = 0;
  };
  std::string caption;  ///< the message of the chart
  Axis axis;
  std::vector<Bar> bars;
  std::vector<Limit> limits;
  /// A tornado: each bar spans from its low to its high end, and this is where all of them start.
  std::optional<double> middle = {};
  Table data = {};                  ///< as of a Chart
  std::string about_interval = {};  ///< what the interval drawn is of, or why there is none
};

/// A drawing of the thing itself: a rack, a node's wiring, a floor.
struct Drawing {
  std::string caption;
  std::string alternative;  ///< what it shows, in words, for those who cannot see it
  std::string svg;          ///< one <svg> element, its texts escaped by whoever wrote it; the writers copy it
};

/// What the reader may vary inside a page: a few inputs, each among values that were computed. There is no
/// answer between them.
struct WhatIf {
  struct Input {
    std::string label;  ///< "Deadline"
    std::string path;   ///< as --set takes it
    std::vector<std::string> values;
    std::vector<std::string> names = {};  ///< of the values, for people; empty: the values
    std::size_t asked = 0;                ///< the one that the report is about
  };
  struct Outcome {
    std::string answer;              ///< "8 × NVIDIA DGX-1V", or that there is none
    std::vector<std::string> facts;  ///< a line each
    Tone tone = Tone::plain;
  };
  std::vector<Input> inputs;
  std::vector<Outcome> outcomes;  ///< of each combination; the values of the last input follow one another
};

/// How to ask the question of this page again: its scenario as a file, and who answers it. On HTML pages
/// only.
struct AskAgain {
  std::string scenario;      ///< JSON, as the file shall hold it
  std::string file;          ///< name of that file, without a folder and of harmless letters: "fleet.json"
  std::string question;      ///< "size", "simulate" or "campaign"
  bool names_files = false;  ///< it needs files or hardware of its owner's, which no browser sees
  bool typed_says_more =
      false;  ///< the command that was typed, under "How to reproduce", does not only name it
};

/// Text to copy: a command, a scenario.
struct Code {
  std::string caption;
  std::string text;
  bool folded = false;  ///< long; a document may hide it behind a click
};

struct Block {
  using Body = std::variant<Headline, Subheading, Paragraph, List, KeyValues, Note, Table, StackedBar, Chart,
                            BarChart, Drawing, WhatIf, AskAgain, Code>;
  Body body;
  Audience audience = Audience::everyone;
  bool detail = false;  ///< evidence behind a section: a document has it in its last part
};

using Blocks = std::vector<Block>;

/// Does the block act on the reader's choice, so that only an HTML page can have it?
inline bool needs_a_page(const Block& block) {
  return std::holds_alternative<WhatIf>(block.body) || std::holds_alternative<AskAgain>(block.body);
}

/// How deep a reader is: ten seconds, five minutes, or checking. `none`: the page has no such parts.
enum class Layer { none, decide, understand, audit };

struct Section {
  std::string id;  ///< anchor and file name: [a-z0-9-]
  std::string title;
  Blocks blocks;
  Layer layer = Layer::none;
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
