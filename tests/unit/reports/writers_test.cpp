#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "reports/blocks/block.hpp"
#include "reports/blocks/display_text.hpp"
#include "reports/blocks/format.hpp"
#include "reports/charts/chart_spec.hpp"
#include "reports/pages/report.hpp"
#include "reports/pages/table_document.hpp"
#include "reports/writers/page_scripts.hpp"

using namespace rackcast::reports;

namespace {

Report page(Block::Body body) {
  return {"", "", {{"part", "Part", {{std::move(body)}}}}};
}

std::string body_text(Block::Body body, TextOptions options = {}) {
  const std::string text = write_text(page(std::move(body)), options);
  return text.substr(text.find('\n') + 1);  // below the section's title
}

int widest_line(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, display_width(line));
  }
  return widest;
}

/// A page with stand-ins for the scripts, whether or not this build has the chart library.
std::string drawn(Block::Body body) {
  const PageScripts scripts{{"library()", "sha256-one"}, {"page()", "sha256-two"}, ""};
  return write_html(page(std::move(body)), scripts);
}

Chart small_chart(const std::string& text) {
  Chart chart;
  chart.caption = text;
  chart.x = {text, Axis::Kind::count, true};
  chart.y = {text, Axis::Kind::seconds, true};
  chart.lines = {{.name = text, .points = {{1, 86400, 80000, 90000, text}, {10, 8640, 8640, 8640, text}}}};
  chart.marked_x = 1;
  chart.marked_label = text;
  return chart;
}

BarChart small_bars(const std::string& text) {
  return {text, {text, Axis::Kind::seconds}, {{text, 60, text, 50, 70, Tone::good}}, {{text, 90}}, {}};
}

Table small_table() {
  Table table;
  table.caption = "Sizes";
  table.columns = {{"Name"}, {"Count", Align::right}};
  table.rows = {{text_cell("é"), count_cell(7)}, {text_cell("車両"), count_cell(1234)}};
  return table;
}

Table wide_table() {
  Table table;
  table.columns = {{"Name"}, {"First", Align::right, 1}, {"Second", Align::right, 2}, {"Remark"}};
  table.rows = {{text_cell("node"), text_cell(std::string(20, '1')), text_cell(std::string(20, '2')),
                 text_cell("words that go on and on until no line of a narrow terminal holds them")}};
  return table;
}

}  // namespace

TEST_CASE("text tables align by columns of the terminal") {
  CHECK(body_text(small_table()) ==
        "  Sizes:\n"
        "  Name  Count\n"
        "  é         7\n"
        "  車両  1,234\n");
}

TEST_CASE("a missing cell shows as a dash") {
  Table table = small_table();
  table.rows[0][1] = {};
  CHECK(body_text(table).find("é         –\n") != std::string::npos);
}

TEST_CASE("a table that is too wide first drops columns in their order, then wraps") {
  // 2 + 4 + 20 + 20 + 69 letters and three gaps do not fit 80: "Second" goes first and is enough to wrap.
  const std::string at_80 = body_text(wide_table(), {.width = 80});
  CHECK(at_80.find("Second") == std::string::npos);
  CHECK(widest_line(at_80) <= 80);
  const std::string at_40 = body_text(wide_table(), {.width = 40});
  CHECK(at_40.find("First") == std::string::npos);
  CHECK(widest_line(at_40) <= 40);
}

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {40, 63, 80, 120}) {
    CAPTURE(width);
    Headline box{Tone::good,
                 "Decision",
                 "13 nodes",
                 std::string(300, 'x') + " words and more words",
                 {{"Time to train", "13.4 days", "and a long detail that has to wrap somewhere below"}}};
    CHECK(widest_line(write_text(page(box), {.width = width})) == width);
    CHECK(widest_line(body_text(Paragraph{std::string(500, 'w')}, {.width = width})) <= width);
    CHECK(widest_line(body_text(KeyValues{{{"key", std::string(200, 'v'), ""}}}, {.width = width})) <= width);
  }
}

TEST_CASE("a table that no width can hold is a list of its rows") {
  Table table;
  table.columns = {
      {"Configuration"}, {"Published", Align::right}, {"Predicted", Align::right}, {"Ratio", Align::right}};
  table.rows = {
      {text_cell("ten of them"), text_cell("16 days"), text_cell("10.4 days (6.57 to 16.4)"),
       text_cell("0.65")},
      {text_cell("one"), text_cell("166 days"), text_cell("102 days (64.3 to 161)"), text_cell("0.61")}};
  const std::string wide = write_text(page(table), {.width = 100}),
                    narrow = write_text(page(table), {.width = 40});
  CHECK(wide.find("Configuration  Published") != std::string::npos);
  CHECK(narrow.find("    Configuration  ten of them\n    Published      16 days\n") != std::string::npos);
}

TEST_CASE("tables use a wide terminal, sentences do not") {
  Table table;
  table.columns = {{"What"}, {"How"}};
  table.rows = {{text_cell(std::string(60, 'a')), text_cell(std::string(90, 'b'))}};
  const std::string text = write_text(page(table), {.width = 200});
  CHECK(text.find(std::string(60, 'a') + "  " + std::string(90, 'b')) != std::string::npos);
  Paragraph words;
  for (int i = 0; i < 60; ++i) words.text += "word ";
  const std::string flowed = write_text(page(words), {.width = 200});
  std::istringstream lines(flowed);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 120);
}

TEST_CASE("of several tables each has its caption once, as a heading") {
  const std::string text = render_tables(
      R"({"format": "rackcast-table", "version": 1, "title": "T", "subtitle": "", "tables": [
        {"caption": "Verdict", "columns": [{"title": "", "align": "left"}], "rows": [["fine"]]},
        {"caption": "Figures", "columns": [{"title": "what", "align": "left"}], "rows": [["one"]]}]})",
      {.width = 40});
  const auto times = [&text](const char* word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
  };
  CHECK(times("Verdict") == 1);
  CHECK(times("Figures") == 1);
  CHECK(text.find("\n  fine\n") != std::string::npos);  // no line for the titles that are not there
  CHECK(text.find("\n  what\n  one\n") != std::string::npos);
}

TEST_CASE("a stacked bar fills its line and names its parts") {
  const StackedBar bar{"Step", "1 s", {{"work", 0.75, ""}, {"wait", 0.25, ""}, {"nothing", 0, ""}}};
  // 36 columns: 27 and 9.
  CHECK(body_text(bar, {.width = 40, .ascii = true}) ==
        "  Step: 1 s\n"
        "    ###########################.........\n"
        "    # work 75 %  . wait 25 %\n");
}

TEST_CASE("ascii text has no block characters") {
  Headline box{Tone::good, "Decision", "13 × nodes", "lead", {}};
  const std::string text = write_text(page(box), {.ascii = true});
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("colour only if asked") {
  Headline box{Tone::good, "Decision", "13 nodes", "", {}};
  CHECK(write_text(page(box)).find('\x1b') == std::string::npos);
  CHECK(write_text(page(box), {.colour = true}).find("\x1b[32m13 nodes") != std::string::npos);
}

TEST_CASE("terminal and documents each get their blocks") {
  Report report{"",
                "",
                {{"part",
                  "Part",
                  {{Paragraph{"seen"}},
                   {Paragraph{"short"}, Audience::terminal},
                   {Paragraph{"evidence"}, Audience::document}}}}};
  for (const std::string& document : {write_html(report), write_markdown(report)}) {
    CHECK(document.find("seen") != std::string::npos);
    CHECK(document.find("evidence") != std::string::npos);
    CHECK(document.find("short") == std::string::npos);
  }
  CHECK(write_text(report).find("short") != std::string::npos);
  CHECK(write_text(report).find("evidence") == std::string::npos);
}

TEST_CASE("markdown tables keep their columns whatever the cells hold") {
  Table table = small_table();
  table.rows[0][0].text = "a|b\nc";
  CHECK(write_markdown(page(table)).find("| a\\|b c | 7 |\n") != std::string::npos);
}

TEST_CASE("markdown text cannot start markup") {
  CHECK(write_markdown(page(Paragraph{"<b>*x*</b> [l](u) `c` _i_"}))
            .find("\\<b\\>\\*x\\*\\</b\\> \\[l\\](u) \\`c\\` \\_i\\_") != std::string::npos);
  CHECK(write_markdown(page(Paragraph{"1. not a list"})).find("1\\. not") != std::string::npos);
  CHECK(write_markdown(page(Paragraph{"- not a list"})).find("\\- not") != std::string::npos);
  CHECK(write_markdown(page(Code{"", "```\nx"})).find("````\n```\nx\n````") != std::string::npos);
}

TEST_CASE("html escapes every kind of block") {
  const std::string bad = "<script>alert(\"1\")</script>&'\x01";
  const std::vector<Block::Body> bodies{
      Headline{Tone::bad, bad, bad, bad, {{bad, bad, bad}}},
      Subheading{bad},
      Paragraph{bad},
      List{{bad}},
      KeyValues{{{bad, bad, bad}}},
      Note{Tone::caution, bad, bad},
      Table{bad, {{bad}, {bad, Align::right}}, {{text_cell(bad), text_cell(bad)}}},
      StackedBar{bad, bad, {{bad, 1, bad}}},
      small_chart(bad),
      small_bars(bad),
      Drawing{bad, bad, "<svg></svg>"},
      WhatIf{{{bad, bad, {bad, bad}}}, {{bad, {bad}}, {bad, {bad}}}},
      Code{bad, bad, true}};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CAPTURE(i);
    const PageScripts scripts{{"library()", "sha256-one"}, {"page()", "sha256-two"}, ""};
    const std::string html = write_html({bad, bad, {{"part", bad, {{bodies[i]}}}}}, scripts);
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find("</script>&") == std::string::npos);
    CHECK(html.find('\x01') == std::string::npos);
    CHECK(html.find("&lt;script&gt;") != std::string::npos);
  }
}

TEST_CASE("html asks nothing of anyone") {
  const std::string html = write_html(page(small_table()));
  for (const char* request : {"http:", "https:", "src=", "url(", "@import", "<link"}) {
    CAPTURE(request);
    CHECK(html.find(request) == std::string::npos);
  }
}

TEST_CASE("a place keeps its line and column together") {
  Table table;
  table.columns = {{"What"}, {"Where"}};
  table.rows = {{text_cell("a"), text_cell("s/fleet.json:29:5")}, {text_cell("b"), text_cell("note: none")}};
  const std::string html = drawn(table);
  CHECK(html.find("s/<wbr>fleet.json<span class=\"whole\">:29:5</span>") != std::string::npos);
  CHECK(html.find(">note: none<") != std::string::npos);
}

TEST_CASE("html tables say what heads a column and a row") {
  const std::string html = write_html(page(small_table()));
  CHECK(html.find("<caption>Sizes</caption>") != std::string::npos);
  CHECK(html.find("<th scope=\"col\" role=\"columnheader\" class=\"number\">Count</th>") !=
        std::string::npos);
  CHECK(html.find("<th scope=\"row\"") != std::string::npos);
}

TEST_CASE("a chart is a specification, its words and its numbers") {
  Chart chart = small_chart("grows");
  chart.data = small_table();
  const std::string html = drawn(chart);
  CHECK(html.find("<div class=\"plot lines\" role=\"img\" aria-label=\"Chart: grows\">") !=
        std::string::npos);
  CHECK(html.find("\"title\":\"grows (hours)\"") != std::string::npos);
  CHECK(html.find("\"low\":22.2") != std::string::npos);  // 80000 s in hours: the interval is drawn
  CHECK(html.find("<summary>The numbers</summary>") != std::string::npos);
  CHECK(html.find("script-src 'sha256-one' 'sha256-two'") != std::string::npos);
  CHECK(html.find("<script>library()</script>") != std::string::npos);
}

TEST_CASE("a legend shows which lines are dashed") {
  Chart chart;
  chart.lines = {{.name = "Time", .points = {{1, 2, 2, 2}, {2, 3, 3, 3}}},
                 {.name = "Limit", .points = {{1, 4, 4, 4}, {2, 4, 4, 4}}, .dashed = true}};
  const std::string spec = chart_spec(chart);
  // One field for both channels: Vega-Lite makes one legend of them. Layers: line, points, limit.
  const auto count = [&spec](const std::string& part) {
    std::size_t n = 0;
    for (auto at = spec.find(part); at != std::string::npos; at = spec.find(part, at + 1)) ++n;
    return n;
  };
  CHECK(count(R"("color":{"field":"line")") == 3);
  CHECK(count(R"("strokeDash":{"field":"line")") == 2);
  CHECK(count(R"("domain":["Time","Limit"],"range":[[1,0],[7,5]])") == 2);
  chart.lines.pop_back();
  CHECK(chart_spec(chart).find("strokeDash") == std::string::npos);
}

TEST_CASE("without the chart library a page has tables and says why") {
  Chart chart = small_chart("grows");
  chart.data = small_table();
  const std::string html =
      write_html(page(chart), PageScripts{{}, {"page()", "sha256-two"}, "npm was not there."});
  CHECK(html.find("npm was not there.") != std::string::npos);
  CHECK(html.find("<caption>Sizes</caption>") != std::string::npos);
  CHECK(html.find("class=\"plot") == std::string::npos);
  CHECK(html.find("<script") == std::string::npos);
}

TEST_CASE("other formats carry the numbers of a chart") {
  Chart chart = small_chart("grows");
  chart.data = small_table();
  CHECK(write_markdown(page(chart)).find("| 車両 | 1,234 |") != std::string::npos);
  CHECK(body_text(chart).find("1,234") != std::string::npos);
}

TEST_CASE("axes take the unit that reads best") {
  CHECK(drawn(small_bars("Time")).find("\"title\":\"Time (s)\"") != std::string::npos);  // 90 s
  BarChart bars = small_bars("Power");
  bars.axis.kind = Axis::Kind::watts;
  bars.bars.front().high = 24500;
  CHECK(drawn(bars).find("\"title\":\"Power (kW)\"") != std::string::npos);
}

TEST_CASE("what cannot be drawn is not drawn") {
  CHECK(drawn(Chart{}).find("class=\"plot") == std::string::npos);
  Chart chart = small_chart("grows");
  chart.lines.front().points.front().low = 0;  // not on a logarithmic axis
  CHECK(drawn(chart).find("class=\"plot") == std::string::npos);
}

TEST_CASE("a page without sections or a section without blocks is still a page") {
  CHECK(write_text({"Title", "", {}}) == "Title\n");
  CHECK(write_text({"Title", "", {{"part", "Part", {}}}}) == "Title\n");
  CHECK(write_html({"Title", "", {{"part", "Part", {}}}}).ends_with("</html>\n"));
}
