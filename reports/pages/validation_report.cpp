#include "reports/pages/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "reports/blocks/format.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {
namespace {

std::optional<double> maybe(const Json& object, std::string_view key) {
  const Json& value = object.require(key);
  if (value.is_null()) return std::nullopt;
  return value.number();
}

std::int64_t count(const Json& object, std::string_view key) {
  return object.require(key).integer();
}

Cell error_cell(std::optional<double> error, bool with_sign) {
  Cell cell = percent_cell(error);
  if (with_sign && error && *error > 0) cell.text.insert(0, "+");
  return cell;
}

Table error_table(std::string caption, const std::string& first, const Json& groups) {
  Table table;
  table.caption = std::move(caption);
  table.columns = {{first},
                   {"Cases", Align::right},
                   {"Median", Align::right},
                   {"Bias", Align::right, 3},
                   {"Mean", Align::right, 4},
                   {"90th percentile", Align::right, 1},
                   {"In interval", Align::right, 2},
                   {"Interval score", Align::right, 5}};
  for (const Json& group : groups.array()) {
    if (count(group, "predicted") == 0) continue;
    table.rows.push_back(
        {text_cell(group.require("name").string()), count_cell(count(group, "predicted")),
         error_cell(maybe(group, "median_abs_error"), false), error_cell(maybe(group, "median_error"), true),
         error_cell(maybe(group, "mean_abs_error"), false), error_cell(maybe(group, "p90_abs_error"), false),
         error_cell(maybe(group, "coverage_90"), false), number_cell(maybe(group, "interval_score"))});
  }
  return table;
}

Headline headline(const Json& document) {
  const Json& summary = document.require("summary");
  Headline out;
  out.kicker = "Predicted beside published";
  const auto median = maybe(summary, "median_abs_error");
  out.title = median ? fmt::format("Median error {} over judged cases", percent_text(*median))
                     : "No judged case could be predicted";
  out.lead = fmt::format("{} cases, {} predicted, {} skipped. Judged are measurements that no fit has used.",
                         count_text(count(summary, "n")), count_text(count(summary, "predicted")),
                         count_text(count(summary, "skipped")));
  if (!document.require("left_out").string().empty())
    out.lead += " Every fit was repeated without the source that is predicted.";
  if (const Json* anchors = document.find("anchors"))
    out.lead += fmt::format(
        " {} anchors, the smallest run of each series, were taken as measured and are not among the cases; "
        "{} cases have no anchor and are left out.",
        count_text(anchors->integer()), count_text(count(document, "without_anchor")));
  const auto fact = [&](std::string label, std::string_view key, std::string detail) {
    if (const auto value = maybe(summary, key))
      out.facts.push_back({std::move(label), percent_text(*value), std::move(detail)});
  };
  fact("Mean error", "mean_abs_error", "");
  fact("90th percentile", "p90_abs_error", "of the absolute error");
  fact("Median over series", "median_abs_error_by_series", "a dense sweep weighs as one");
  fact("Coverage", "coverage_90", "of the 90 % intervals");
  return out;
}

/// Tables of assumed cases are named so.
constexpr std::string_view assumed_cases = "assumed ";

Section errors_section(const Json& document) {
  Section section{"errors", "Errors", {}};
  section.blocks.push_back(
      {error_table("By what a case may be used for", "Cases that are", document.require("sets"))});
  for (const auto& [by, groups] : document.require("tables").object()) {
    const bool assumed = by.starts_with(assumed_cases);
    const std::string name = assumed ? by.substr(assumed_cases.size()) : by;
    Block block{error_table((assumed ? "Assumed cases by " : "Judged cases by ") + name, name, groups)};
    if (std::get<Table>(block.body).rows.empty()) continue;
    if (by == "metric" || by == "scale") block.audience = Audience::document;
    section.blocks.push_back(std::move(block));
  }
  return section;
}

Section worst_section(const Json& document) {
  Section section{"worst", "Farthest off", {}};
  Table table;
  table.caption = "Judged cases with the largest ratio between predicted and measured";
  table.columns = {{"Case"},
                   {"Metric", Align::left, 1},
                   {"Measured", Align::right},
                   {"Predicted", Align::right},
                   {"Error", Align::right}};
  std::map<std::string, const Json*> by_id;
  for (const Json& c : document.require("cases").array()) by_id.emplace(c.require("id").string(), &c);
  for (const Json& id : document.require("worst").array()) {
    const auto found = by_id.find(id.string());
    if (found == by_id.end()) id.fail("no case with this id");
    const Json& c = *found->second;
    table.rows.push_back({text_cell(id.string()), text_cell(c.require("metric").string()),
                          number_cell(maybe(c, "measured")), number_cell(maybe(c, "predicted")),
                          error_cell(maybe(c, "error"), true)});
  }
  if (!table.rows.empty()) section.blocks.push_back({std::move(table)});
  return section;
}

Section skipped_section(const Json& document) {
  Section section{"skipped", "Not predicted", {}};
  Table table;
  table.caption = "Cases without a prediction, by reason";
  table.columns = {{"Reason"}, {"Cases", Align::right}};
  for (const Json& skip : document.require("skipped").array())
    table.rows.push_back({text_cell(skip.require("reason").string()), count_cell(count(skip, "n"))});
  if (!table.rows.empty()) section.blocks.push_back({std::move(table)});
  return section;
}

/// What corrections of published cases do to the errors.
Section amendments_section(const Json& document) {
  Section section{"amendments", "Corrected cases", {}};
  Table table;
  table.caption = "Errors of cases as they were published and as they were corrected";
  table.columns = {{"Why"},
                   {"Cases", Align::right},
                   {"Predicted as published", Align::right, 1},
                   {"Median error", Align::right},
                   {"Predicted as corrected", Align::right, 1},
                   {"Median as corrected", Align::right},
                   {"Date", Align::left, 2}};
  for (const Json& effect : document.require("amendments").array()) {
    const Json &before = effect.require("published"), &after = effect.require("amended");
    table.rows.push_back(
        {text_cell(fmt::format("{} ({})", effect.require("why").string(), effect.require("source").string())),
         count_cell(count(before, "n")), count_cell(count(before, "predicted")),
         error_cell(maybe(before, "median_abs_error"), false), count_cell(count(after, "predicted")),
         error_cell(maybe(after, "median_abs_error"), false), text_cell(effect.require("date").string())});
  }
  if (table.rows.empty()) return section;
  section.blocks.push_back({std::move(table)});
  section.blocks.push_back({error_table("Without any correction, by what a case may be used for",
                                        "Cases that are", document.require("sets_as_published"))});
  return section;
}

/// The other end of the interval where there is one, or the prediction itself.
double bound(const Json& c, std::string_view key, double predicted) {
  const Json* found = c.find(key);
  return found == nullptr || found->is_null() || found->number() <= 0 ? predicted : found->number();
}

Chart::Line diagonal(const std::vector<Chart::Line>& lines) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Chart::Line& line : lines) {
    for (const auto& p : line.points) {
      low = std::min({low, p.x, p.low});
      high = std::max({high, p.x, p.high});
    }
  }
  return {.name = "Equal", .points = {{low, low, low, low}, {high, high, high, high}}, .dashed = true};
}

/// "images_per_s" as "Images per s".
std::string metric_title(std::string metric) {
  std::ranges::replace(metric, '_', ' ');
  if (!metric.empty() && metric[0] >= 'a' && metric[0] <= 'z')
    metric[0] = static_cast<char>(metric[0] - 'a' + 'A');
  return metric;
}

Table case_table(const std::string& metric) {
  Table table;
  table.caption = metric_title(metric) + ": every predicted case";
  table.columns = {{"Case"},
                   {"Use"},
                   {"Measured", Align::right},
                   {"Predicted", Align::right},
                   {"Low", Align::right},
                   {"High", Align::right},
                   {"Error", Align::right}};
  return table;
}

/// One chart for each metric, since their units differ.
Section scatter_section(const Json& document) {
  Section section{"scatter", "Predicted against measured", {}};
  std::map<std::string, Chart> metrics;
  std::map<std::string, std::string> units;
  for (const Json& c : document.require("cases").array()) {
    const auto x = maybe(c, "measured"), y = maybe(c, "predicted");
    const std::string set = c.require("set").string(), metric = c.require("metric").string();
    if (!x || !y || *x <= 0 || *y <= 0 || (set != "judged" && set != "fit")) continue;
    Chart& chart = metrics[metric];
    if (chart.lines.empty()) {
      chart.lines = {{.name = "judged", .points = {}, .dashed = false, .scattered = true},
                     {.name = "fit", .points = {}, .dashed = false, .scattered = true}};
      chart.data = case_table(metric);
    }
    const double low = std::min(*y, bound(c, "low", *y)), high = std::max(*y, bound(c, "high", *y));
    const std::string id = c.require("id").string();
    units[metric] = c.require("unit").string();
    chart.lines[set == "fit" ? 1 : 0].points.push_back({*x, *y, low, high, id});
    chart.data.rows.push_back({text_cell(id), text_cell(set), number_cell(*x), number_cell(*y),
                               number_cell(low), number_cell(high), error_cell(maybe(c, "error"), true)});
  }
  for (auto& [metric, chart] : metrics) {
    const bool seconds = metric.ends_with("_s") && metric.find("_per_s") == std::string::npos;
    const Axis::Kind kind = seconds ? Axis::Kind::seconds : Axis::Kind::count;
    chart.caption = fmt::format("{}: {} cases, with the 90 % interval; on the line the prediction is right",
                                metric_title(metric), chart.data.rows.size());
    const std::string unit = seconds || units[metric].empty() ? "" : ", " + units[metric];
    chart.x = {"Measured" + unit, kind, true};
    chart.y = {"Predicted" + unit, kind, true};
    std::erase_if(chart.lines, [](const auto& line) { return line.points.empty(); });
    if (chart.data.rows.size() < 2) continue;
    chart.lines.push_back(diagonal(chart.lines));
    section.blocks.push_back({std::move(chart), Audience::document});
  }
  return section;
}

}  // namespace

Report build_validation_report(const std::string& json_text, const std::string& name) {
  const Json document = parse_json(json_text, name, {.max_bytes = std::size_t{256} << 20});
  if (document.require("format").string() != "rackcast-validation")
    document.require("format").fail("not a validation document", "rackcast validate --json writes one");
  Report report;
  report.title = "Validation";
  report.subtitle = "Predictions beside published measurements";
  report.sections.push_back({"summary", "Summary", {{headline(document)}}});
  for (Section section :
       std::array{errors_section(document), worst_section(document), skipped_section(document),
                  amendments_section(document), scatter_section(document)})
    if (!section.blocks.empty()) report.sections.push_back(std::move(section));
  return report;
}

}  // namespace rackcast::reports
