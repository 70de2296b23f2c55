#include "reports/pages/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/blocks/format.hpp"
#include "reports/blocks/readable.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "scenarios/document/comparison.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

using doc::Comparison;
using Value = Comparison::Value;

/// "A" of the first result, "B" of the second; "27" and so on behind the alphabet.
std::string letter(std::size_t i) {
  return i < 26 ? std::string(1, static_cast<char>('A' + static_cast<int>(i))) : std::to_string(i + 1);
}

struct FigureTitle {
  std::string_view figure, title;
};
constexpr FigureTitle titles[] = {
    {"feasible", "Keeps limits"},
    {"limit", "What binds"},
    {"bottleneck", "Bottleneck"},
    {"node", "Node"},
    {"nodes", "Nodes"},
    {"spares", "Spare nodes"},
    {"gpus", "GPUs"},
    {"deadline", "Deadline"},
    {"odds", "Odds"},
    {"time_to_train", "Time to train"},
    {"samples_per_s", "Samples/s"},
    {"step_time", "Step"},
    {"scaling_efficiency", "Efficiency"},
    {"precision", "Precision"},
    {"requests_per_s", "Requests/s, busiest hour"},
    {"latency", "Latency in the busiest hour"},
    {"first_token", "Time to the first token"},
    {"output_token", "Time per output token"},
    {"usd_per_million_tokens", "A million tokens"},
    {"racks", "Racks"},
    {"nameplate", "Nameplate"},
    {"it_power", "Power at work"},
    {"energy_per_year", "Energy a year"},
    {"purchase", "Purchase"},
    {"year_of_owning", "Owning, a year"},
    {"total_cost", "Cost in all"},
    {"sure_nodes", "Nodes at 90 %"},
    {"sure_purchase", "Purchase at 90 %"},
};

std::string title_of(const Comparison::Figure& figure) {
  const auto found = std::ranges::find(titles, figure.figure, &FigureTitle::figure);
  const std::string title{found == std::end(titles) ? std::string_view{figure.figure} : found->title};
  return figure.workload.empty() ? title : title + ", " + figure.workload;
}

/// A number in the unit of its figure, as people write it.
std::string number_words(double value, const std::string& unit, bool is_share) {
  if (is_share) return percent_text(value);
  if (unit == "s") return duration_text(value);
  if (unit == "W") return to_text(Power{value});
  if (unit == "USD") return to_text(Money{value});
  if (unit == "kWh") return to_text(Energy{3.6e6 * value});
  if (unit == "1/s") return number_text(value);  // the figure's title says of what: "Samples/s"
  return value == std::round(value) ? count_text(static_cast<std::int64_t>(value)) : number_text(value);
}

bool is_share(const Comparison::Figure& figure) {
  return figure.figure == "odds" || figure.figure == "scaling_efficiency";
}

std::string signed_words(double value, const Comparison::Figure& figure) {
  return (value < 0   ? "-"
          : value > 0 ? "+"
                      : "") +
         number_words(std::abs(value), figure.unit, is_share(figure));
}

Cell value_cell(const Comparison::Figure& figure, const Value& v) {
  if (!v.value) return text_cell(figure.figure == "limit" ? limit_title(v.text) : v.text);
  const auto words = [&](double x) {
    if (figure.figure == "odds") return odds_text(x);
    return number_words(x, figure.unit, is_share(figure));
  };
  Cell cell{.text = words(*v.value), .value = v.value, .unit = figure.unit, .low = v.low, .high = v.high};
  if (v.low && v.high)
    cell.text = figure.unit == "W" || figure.unit == "1/s"
                    ? fmt::format("{} ({} to {})", cell.text, words(*v.low), words(*v.high))
                    : prediction_text({*v.value, *v.low, *v.high, figure.unit});
  return sum_cell(std::move(cell), v.at_least);
}

/// Never -0.
double whole_points(double share) {
  return std::round(100 * share) + 0.0;
}

std::string points_text(double share) {
  const double points = whole_points(share);
  return points == 0 ? "less than 1 point" : fmt::format("{:+.0f} points", points);
}

/// "+786,000 USD, +47 %", "-5.05 days (-14.9 days to +4.74 days), -38 %". Of shares, which are percentages
/// themselves, in points.
Cell difference_cell(const Comparison::Figure& figure, const Value& base, const Value& d) {
  if (!d.value) return {};
  Cell cell{.text = "none", .value = d.value, .unit = figure.unit, .low = d.low, .high = d.high};
  if (*d.value != 0) cell.text = is_share(figure) ? points_text(*d.value) : signed_words(*d.value, figure);
  if (d.low && d.high)
    cell.text +=
        is_share(figure)
            ? fmt::format(" ({:+.0f} to {:+.0f})", whole_points(*d.low), whole_points(*d.high))
            : fmt::format(" ({} to {})", signed_words(*d.low, figure), signed_words(*d.high, figure));
  if (*d.value != 0 && !is_share(figure) && base.value.value_or(0) > 0)
    cell.text +=
        fmt::format(", {}{}", *d.value < 0 ? "-" : "+", percent_text(std::abs(*d.value / *base.value)));
  if (d.at_least) {
    cell.text += ", of what is known";
    cell.tone = Tone::caution;
  }
  return cell;
}

Table figure_table(const Comparison& c) {
  Table table;
  table.caption = "Figures side by side";
  table.columns = {{"Figure"}};
  for (std::size_t i = 0; i < c.results.size(); ++i) {
    table.columns.push_back({letter(i), Align::right});
    if (i > 0) table.columns.push_back({letter(i) + " less A", Align::right});
  }
  for (const Comparison::Figure& figure : c.figures) {
    std::vector<Cell> row{text_cell(title_of(figure))};
    for (std::size_t i = 0; i < c.results.size(); ++i) {
      row.push_back(value_cell(figure, figure.values[i]));
      if (figure.figure == "feasible" && figure.values[i].text != "yes") row.back().tone = Tone::bad;
      if (i == 0) continue;
      row.push_back(figure.differences.empty()
                        ? Cell{}
                        : difference_cell(figure, figure.values.front(), figure.differences[i - 1]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table input_table(const Comparison& c) {
  Table table;
  table.caption = "What the scenarios differ in";
  if (c.more_inputs > 0) table.caption += fmt::format(", and {} more", c.more_inputs);
  table.columns = {{"Key"}};
  for (std::size_t i = 0; i < c.results.size(); ++i) table.columns.push_back({letter(i)});
  for (const Comparison::Input& input : c.inputs) {
    std::vector<Cell> row{text_cell(input.pointer)};
    for (const std::string& value : input.values) row.push_back(text_cell(value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

const Comparison::Figure* find(const Comparison& c, std::string_view name) {
  const auto found =
      std::ranges::find_if(c.figures, [&](const auto& f) { return f.figure == name && f.workload.empty(); });
  return found == c.figures.end() ? nullptr : &*found;
}

/// "B is done 5.05 days sooner, costs 786,000 USD more to buy, and has odds of 91 % instead of 55 %."
std::string summary(const Comparison& c, std::size_t i) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const char* pattern, const char* less, const char* more) {
    const Comparison::Figure* f = find(c, name);
    if (!f || !f->differences[i - 1].value) return;
    const double d = *f->differences[i - 1].value;
    if (d == 0) return;
    const std::string amount = name == "nodes" ? counted(std::llround(std::abs(d)), "node")
                                               : number_words(std::abs(d), f->unit, is_share(*f));
    parts.push_back(fmt::format(fmt::runtime(pattern), amount, d < 0 ? less : more));
  };
  const Comparison::Figure* feasible = find(c, "feasible");
  if (feasible && feasible->values[i].text != feasible->values.front().text)
    parts.emplace_back(feasible->values[i].text == "yes" ? "keeps all limits, which A does not"
                                                         : "breaks a limit, which A does not");
  add("nodes", "has {} {}", "fewer", "more");
  add("time_to_train", "is done {} {}", "sooner", "later");
  add("latency", "answers {} {}", "sooner", "later");
  add("purchase", "costs {} {} to buy", "less", "more");
  const Comparison::Figure* odds = find(c, "odds");
  if (odds && odds->values[i].value && odds->values.front().value && odds->differences[i - 1].value != 0.0)
    parts.push_back(fmt::format("has odds of {} instead of {}", odds_text(*odds->values[i].value),
                                odds_text(*odds->values.front().value)));
  if (parts.empty()) return letter(i) + " has the same time, cost and odds as A.";
  std::string out = letter(i) + " ";
  for (std::size_t k = 0; k < parts.size(); ++k)
    out += (k == 0 ? "" : k + 1 == parts.size() ? ", and " : ", ") + parts[k];
  return out + ".";
}

void check(const Comparison& c, const Json& json) {
  const std::size_t count = c.results.size();
  const bool whole =
      count > 1 &&
      std::ranges::all_of(c.figures,
                          [&](const Comparison::Figure& f) {
                            return f.values.size() == count &&
                                   (f.unit.empty() || f.differences.size() == count - 1);
                          }) &&
      std::ranges::all_of(c.inputs, [&](const auto& input) { return input.values.size() == count; });
  if (!whole) json.fail("a comparison has a value of each of its results", "write the comparison again");
}

}  // namespace

Report comparison_report(const std::string& json, const std::string& name) {
  const Json parsed = parse_json(json, name);
  const auto c = doc::read_document<Comparison>(parsed);
  check(c, parsed);
  Report report;
  report.title = fmt::format("Comparison of {} results", c.results.size());
  KeyValues legend;
  for (std::size_t i = 0; i < c.results.size(); ++i)
    legend.rows.push_back({letter(i), c.results[i].name.empty() ? c.results[i].file : c.results[i].name,
                           c.results[i].name.empty() ? "" : "(" + c.results[i].file + ")"});
  List differences;
  for (std::size_t i = 1; i < c.results.size(); ++i) differences.items.push_back(summary(c, i));
  report.sections.push_back({"comparison", "In short", {{std::move(legend)}, {std::move(differences)}}});
  report.sections.push_back(
      {"figures",
       "Figures",
       {{figure_table(c)},
        {Paragraph{
            "Odds are by the error of the model alone, \"at 90 %\" is the plan with these odds. Intervals "
            "hold 90 % of the outcomes. Those of differences take the errors of two results "
            "as independent; where both rest on the same fits they are narrower."}}}});
  Blocks inputs{
      {c.inputs.empty() ? Block{Paragraph{"The scenarios do not differ."}} : Block{input_table(c)}}};
  report.sections.push_back({"inputs", "Inputs", std::move(inputs)});
  return readable(std::move(report));
}

}  // namespace rackcast::reports
