#include "reports/pages/case_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "reports/blocks/format.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {
namespace {

/// Beyond it a row is explained.
constexpr double far_off = 0.15;

std::optional<double> figure(const Json& c, std::string_view key) {
  const Json& value = c.require(key);
  return value.is_null() ? std::nullopt : std::optional{value.number()};
}

std::string words(const Json& c, std::string_view key) {
  const Json& value = c.require(key);
  return value.is_null() ? "" : value.string();
}

bool is_statement(const Json& c) {
  return !words(c, "statement").empty();
}

/// "speedup, resnet50, mxnet, mixed, 32 x v100_pcie_16gb".
std::string description(const Json& c) {
  std::string out = words(c, "metric");
  for (const char* key : {"model", "framework", "precision"}) {
    const std::string part = words(c, key);
    if (!part.empty() && part != "unknown") out += ", " + part;
  }
  const std::string gpu = words(c, "gpu");
  const auto gpus = figure(c, "gpus");
  if (gpu.empty()) return out;
  return out + ", " + (gpus ? fmt::format("{} x ", number_text(*gpus)) : "") + gpu;
}

Cell signed_percent(std::optional<double> error) {
  Cell cell = percent_cell(error);
  if (error == 0.0) cell.text = "0 %";
  if (error && *error > 0) cell.text.insert(0, "+");
  return cell;
}

std::string interval_text(const Json& c) {
  const auto low = figure(c, "low"), high = figure(c, "high");
  return low && high ? number_text(*low) + " to " + number_text(*high) : "";
}

/// A range where the source leaves settings open.
Cell predicted_cell(const Json& c) {
  Cell cell = number_cell(figure(c, "predicted"));
  const auto least = figure(c, "least"), most = figure(c, "most");
  if (least && most) cell.text = number_text(*least) + " to " + number_text(*most);
  return cell;
}

Table table_of_figures(const std::string& source) {
  Table table;
  table.caption = source;
  table.columns = {{"Case"},
                   {"Figure", Align::left, 3},
                   {"Unit", Align::left, 4},
                   {"Measured", Align::right},
                   {"Predicted", Align::right},
                   {"90 % interval", Align::right, 1},
                   {"Error", Align::right},
                   {"Binds", Align::left, 2},
                   {"Use", Align::left, 5}};
  return table;
}

std::vector<Cell> row_of(const Json& c) {
  return {text_cell(words(c, "id")),
          text_cell(description(c)),
          text_cell(words(c, "unit")),
          number_cell(figure(c, "measured")),
          predicted_cell(c),
          text_cell(interval_text(c)),
          signed_percent(figure(c, "error")),
          text_cell(words(c, "binds")),
          text_cell(words(c, "set"))};
}

/// Why a row is far off or empty, and what was taken from it; nothing for the others.
std::optional<std::string> explanation(const Json& c) {
  const auto error = figure(c, "error");
  const std::string id = words(c, "id"), remark = words(c, "remark");
  if (!figure(c, "predicted")) return fmt::format("{}: not predicted, {}", id, words(c, "skipped_reason"));
  if (const auto length = figure(c, "inferred_length"))
    return fmt::format("{}: the length of the runs of this table was taken from this row: {}.", id,
                       number_text(*length));
  if (!error || std::abs(*error) <= far_off) return std::nullopt;
  const std::string why = remark.empty() ? "no reason is known yet." : remark;
  return fmt::format("{} ({}): {}", id, signed_percent(error).text, why);
}

Section section_of(const std::string& source, const std::vector<const Json*>& cases, std::size_t number) {
  Section section{fmt::format("source-{}", number), source, {}};
  Table table = table_of_figures("");
  List why;
  for (const Json* c : cases) {
    table.rows.push_back(row_of(*c));
    if (auto sentence = explanation(*c)) why.items.push_back(std::move(*sentence));
  }
  section.blocks.push_back({std::move(table)});
  if (why.items.empty()) return section;
  section.blocks.push_back(
      {Paragraph{"Rows that are more than 15 % off, that have no prediction, or that others build on:"}});
  section.blocks.push_back({std::move(why)});
  return section;
}

/// What a source says in words, and what rackcast answers.
Section statements_section(const std::vector<const Json*>& cases) {
  Section section{"statements", "What the sources state in words", {}};
  Table table;
  table.columns = {{"Case", Align::left, 2},           {"Statement"}, {"rackcast says", Align::right},
                   {"90 % interval", Align::right, 1}, {"Expected"},  {"Holds"}};
  List why;
  for (const Json* c : cases) {
    const auto error = figure(*c, "error"), measured = figure(*c, "measured");
    const std::string side = words(*c, "bound");
    const bool holds = error && *error == 0;
    const std::string expected =
        measured ? fmt::format("{} {}", side == "upper" ? "at most" : "at least", number_text(*measured))
                 : "";
    table.rows.push_back({text_cell(words(*c, "id")), text_cell(words(*c, "statement")),
                          number_cell(figure(*c, "predicted")), text_cell(interval_text(*c)),
                          text_cell(fmt::format("{} {}", expected, words(*c, "unit"))),
                          text_cell(!error  ? "not predicted"
                                    : holds ? "yes"
                                            : "no")});
    if (holds) continue;
    const std::string reason = !error ? words(*c, "skipped_reason") : words(*c, "remark");
    why.items.push_back(
        fmt::format("{}: {}", words(*c, "id"), reason.empty() ? "no reason is known yet." : reason));
  }
  section.blocks.push_back(
      {Paragraph{"Each statement is a run of the program that must keep the bound under Expected. Where the "
                 "source gives no "
                 "number, the bound is a reading of its words."}});
  section.blocks.push_back({std::move(table)});
  if (!why.items.empty()) section.blocks.push_back({std::move(why)});
  return section;
}

std::string percent_of(const Json& summary, std::string_view key) {
  const auto value = figure(summary, key);
  return value ? percent_text(*value) : "unknown";
}

/// The three lines of the README.
List summary_lines(const Json& document, std::size_t figures, std::size_t predicted, std::size_t ranges,
                   const std::vector<const Json*>& statements) {
  const Json& scored = document.require("scored");
  std::size_t hold = 0;
  for (const Json* c : statements) hold += figure(*c, "error") == 0.0;
  List out;
  out.items.push_back(
      fmt::format("Figures with a row: {}. Figures with a prediction: {}.", figures, predicted));
  out.items.push_back(
      fmt::format("Measured figures: {}. Median error {}, 90th percentile {}, inside the 90 % interval {}. "
                  "Compared with a "
                  "range, because the source leaves settings open: {}.",
                  scored.require("predicted").integer(), percent_of(scored, "median_abs_error"),
                  percent_of(scored, "p90_abs_error"), percent_of(scored, "coverage_90"), ranges));
  if (!statements.empty())
    out.items.push_back(
        fmt::format("Statements in words: {}. The program agrees with {}.", statements.size(), hold));
  return out;
}

}  // namespace

Report build_case_rows(const std::string& json_text, const std::string& name, const std::string& command) {
  const Json document = parse_json(json_text, name, {.max_bytes = std::size_t{256} << 20});
  if (document.require("format").string() != "rackcast-validation")
    document.require("format").fail("not a validation document", "rackcast validate --json writes one");
  std::vector<std::pair<std::string, std::vector<const Json*>>> sources;
  std::vector<const Json*> statements;
  std::size_t figures = 0, predicted = 0, ranges = 0;
  for (const Json& c : document.require("cases").array()) {
    if (is_statement(c)) {
      statements.push_back(&c);
      continue;
    }
    const std::string source = words(c, "citation");
    if (sources.empty() || sources.back().first != source)
      sources.emplace_back(source, std::vector<const Json*>{});
    sources.back().second.push_back(&c);
    ++figures;
    predicted += figure(c, "predicted").has_value();
    ranges += figure(c, "least").has_value() && words(c, "set") != "not scored";
  }
  Report report;
  report.title = "Figures of published sources, row by row";
  report.subtitle = "Written by: " + command;
  Section summary{"summary", "Summary", {}};
  summary.blocks.push_back({summary_lines(document, figures, predicted, ranges, statements)});
  summary.blocks.push_back({Paragraph{
      "The column Use says what a row may be used for. Measured figures are judged, approximate, assumed or "
      "bounds. Rows that are \"not scored\" are projections, which nobody ran, and \"fit\" marks a row from "
      "which "
      "the length of a run was taken, so that the other rows of its table can be compared."}});
  report.sections.push_back(std::move(summary));
  for (std::size_t i = 0; i < sources.size(); ++i)
    report.sections.push_back(section_of(sources[i].first, sources[i].second, i + 1));
  if (!statements.empty()) report.sections.push_back(statements_section(statements));
  return report;
}

}  // namespace rackcast::reports
