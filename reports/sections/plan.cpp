/// The search: its choice, the best of every design, the Pareto front, what limits are worth, what conflicts.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/plan_sentences.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t rows_on_terminal = 8;

/// What sets a candidate apart besides its size.
std::string design_of(const std::string& title, const std::string& network, const std::string& storage) {
  return title + (network.empty() ? "" : ", " + network) + (storage.empty() ? "" : ", " + storage);
}

std::string design_of(const PlanCandidate& c) {
  return design_of(c.node_title, c.network, c.storage);
}

std::string limit_titles(const std::vector<std::string>& limits) {
  std::string out;
  for (const std::string& limit : limits) out += (out.empty() ? "" : ", ") + limit_title(limit);
  return out;
}

bool same(const PlanCandidate& a, const PlanCandidate& b) {
  return design_of(a) == design_of(b) && a.nodes == b.nodes && a.gpus == b.gpus && a.time_s == b.time_s;
}

/// A time past the deadline is told apart from it.
Cell time_cell(const PlanCandidate& c, const std::optional<double>& deadline_s) {
  if (!c.time_s) return {};
  Cell out{.text = duration_text(*c.time_s), .value = c.time_s, .unit = "s"};
  if (deadline_s && *c.time_s > *deadline_s)
    out.text = told_apart(Duration{*c.time_s}, Duration{*deadline_s});
  return out;
}

Cell interval_cell(const PlanCandidate& c, const std::optional<double>& deadline_s) {
  const Cell time = time_cell(c, deadline_s);
  if (!c.time_s || !c.time_low_s || !c.time_high_s) return time;
  Cell out = prediction_cell(Prediction{*c.time_s, *c.time_low_s, *c.time_high_s, "s"});
  const std::string rounded = duration_text(*c.time_s);
  if (out.text.starts_with(rounded) && time.text != rounded)
    out.text = time.text + out.text.substr(rounded.size());
  return out;
}

Cell dollar_cell(const std::optional<double>& dollars) {
  return dollars ? Cell{.text = to_text(Money{*dollars}), .value = dollars, .unit = "USD"} : Cell{};
}

Cell energy_cell(const std::optional<double>& joules) {
  constexpr double joules_per_kwh = 3.6e6;
  return joules ? Cell{.text = to_text(Energy{*joules}), .value = *joules / joules_per_kwh, .unit = "kWh"}
                : Cell{};
}

using Setting = std::string PlanCandidate::Workload::*;

/// Whether candidates differ in how they run a workload; what all have alike need not be said in every row.
bool varies(const std::vector<PlanCandidate>& all, Setting setting) {
  std::map<std::string, std::string> first;
  return std::ranges::any_of(all, [&](const PlanCandidate& c) {
    return std::ranges::any_of(c.workloads, [&](const PlanCandidate::Workload& w) {
      return first.try_emplace(w.model, w.*setting).first->second != w.*setting;
    });
  });
}

/// What the workload that takes most keeps on a GPU; known of split networks.
std::optional<double> memory_of(const PlanCandidate& c) {
  std::optional<double> most;
  for (const PlanCandidate::Workload& w : c.workloads)
    if (w.memory_bytes_per_gpu) most = std::max(most.value_or(0), *w.memory_bytes_per_gpu);
  return most;
}

/// Which columns a table of candidates needs.
struct Columns {
  bool several = false, money = false, energy = false, settings = false, memory = false, by_energy = false;
  std::vector<Setting> differing;  ///< that the rows tell apart
  std::optional<double> deadline_s;

  explicit Columns(const Plan& plan, std::optional<double> deadline = {})
      : several(plan.designs > 1),
        settings(plan.variants > 1),
        by_energy(plan.objective == "lowest-energy"),
        deadline_s(deadline) {
    for (const PlanCandidate& c : plan.front) {
      money = money || c.total_usd.has_value();
      energy = energy || c.energy_j.has_value();
      memory = memory || memory_of(c).has_value();
    }
    for (const Setting setting : {&PlanCandidate::Workload::precision, &PlanCandidate::Workload::framework,
                                  &PlanCandidate::Workload::exchange}) {
      if (varies(plan.front, setting)) differing.push_back(setting);
    }
  }

  [[nodiscard]] std::vector<Column> heads(const char* last) const {
    std::vector<Column> out{{"Nodes", Align::right}};
    if (several) out.push_back({"Design"});
    out.push_back({"GPUs", Align::right, 4});
    out.push_back({"Time to train", Align::right});
    if (money) out.push_back({"Purchase", Align::right, 3});
    // What the objective counts stays on a narrow page.
    if (money) out.push_back({"Cost in all", Align::right, by_energy ? 2 : 0});
    if (energy) out.push_back({"Energy", Align::right, by_energy ? 0 : 2});
    if (memory) out.push_back({"Memory per GPU", Align::right, 2});
    if (settings) out.push_back({"Batch per GPU", Align::left, 5});
    if (last) out.push_back({last});
    return out;
  }
  /// `interval`: with that of the time.
  [[nodiscard]] std::vector<Cell> row(const PlanCandidate& c, bool chosen, bool interval = false) const {
    Cell nodes = nodes_cell(c.nodes, c.spares);
    if (chosen) nodes.tone = Tone::good;
    std::vector<Cell> out{nodes};
    if (several) out.push_back(text_cell(design_of(c)));
    out.push_back(count_cell(c.gpus));
    out.push_back(interval ? interval_cell(c, deadline_s) : time_cell(c, deadline_s));
    if (money) out.push_back(sum_cell(dollar_cell(c.capex_usd), c.purchase_is_open()));
    if (money) out.push_back(sum_cell(dollar_cell(c.total_usd), c.cost_is_open()));
    if (energy) out.push_back(sum_cell(energy_cell(c.energy_j), c.energy_is_open()));
    if (memory) out.push_back(bytes_cell(memory_of(c)));
    if (settings) out.push_back(text_cell(settings_text(c)));
    return out;
  }
  /// "Inception-v3: 64, mixed" for each workload, where the search chose them.
  [[nodiscard]] std::string settings_text(const PlanCandidate& c) const {
    std::string out;
    for (const auto& w : c.workloads) {
      out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", w.model, number_text(w.batch_per_gpu));
      for (const Setting setting : differing) {
        if (!(w.*setting).empty()) out += ", " + w.*setting;
      }
    }
    return out;
  }
};

Table front_table(const Plan& plan, const std::vector<PlanCandidate>& points, bool interval,
                  const std::optional<double>& deadline_s) {
  const Columns columns{plan, deadline_s};
  Table table;
  table.caption = "Best trade-offs (the Pareto front)";
  table.columns = columns.heads("Breaks");
  for (const PlanCandidate& c : points) {
    const bool chosen = plan.chosen && same(c, *plan.chosen);
    auto row = columns.row(c, chosen, interval);
    Cell breaks = text_cell(chosen             ? "nothing: chosen"
                            : c.breaks.empty() ? "nothing"
                                               : limit_titles(c.breaks));
    breaks.tone = c.breaks.empty() ? Tone::plain : Tone::bad;
    row.push_back(std::move(breaks));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A few rows around the choice.
std::vector<PlanCandidate> near_choice(const Plan& plan) {
  const auto& front = plan.front;
  const auto at = std::ranges::find_if(
      front, [&](const PlanCandidate& c) { return plan.chosen && same(c, *plan.chosen); });
  const auto index = static_cast<std::size_t>(at - front.begin());
  const std::size_t count = std::min(rows_on_terminal, front.size());
  std::size_t first = index > count / 2 ? index - count / 2 : 0;
  first = std::min(first, front.size() - count);
  return {front.begin() + static_cast<std::ptrdiff_t>(first),
          front.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

/// Time over cost, or over nodes where nothing has a price; one line for each design, the chosen one first.
std::optional<Chart> front_chart(const Plan& plan, const ResultDocument& document) {
  const bool money = Columns{plan}.money;
  Chart chart;
  chart.x = {money ? "Cost in all" : "Nodes", money ? Axis::Kind::money : Axis::Kind::count, true};
  chart.y = {"Time to train", Axis::Kind::seconds, true};
  const auto x_of = [money](const PlanCandidate& c) {
    return money ? c.total_usd.value_or(0) : static_cast<double>(c.nodes);
  };
  double least = 0, most = 0;
  for (const PlanCandidate& c : plan.front) {
    const double x = x_of(c);
    if (x <= 0 || !c.time_s || *c.time_s <= 0) continue;
    const std::string name = design_of(c);
    auto line = std::ranges::find(chart.lines, name, &Chart::Line::name);
    if (line == chart.lines.end()) {
      const bool first = plan.chosen && design_of(*plan.chosen) == name;
      line =
          chart.lines.insert(first ? chart.lines.begin() : chart.lines.end(), {.name = name, .points = {}});
    }
    line->points.push_back(
        {x, *c.time_s, c.time_low_s.value_or(*c.time_s), c.time_high_s.value_or(*c.time_s),
         counted(c.nodes, "node") + (c.breaks.empty() ? "" : ", breaks " + limit_titles(c.breaks))});
    least = least == 0 ? x : std::min(least, x);
    most = std::max(most, x);
  }
  if (least >= most) return std::nullopt;
  for (auto& line : chart.lines) std::ranges::stable_sort(line.points, {}, &Chart::Point::x);
  if (document.deadline_s && *document.deadline_s > 0) {
    const double y = *document.deadline_s;
    chart.lines.push_back(
        {.name = "Deadline", .points = {{least, y, y, y}, {most, y, y, y}}, .dashed = true});
  }
  if (plan.chosen && x_of(*plan.chosen) > 0) {
    chart.marked_x = x_of(*plan.chosen);
    chart.marked_label = counted(plan.chosen->nodes, "node");
  }
  const bool known = std::ranges::any_of(plan.front, [](const auto& c) { return c.time_low_s.has_value(); });
  chart.about_interval = known ? "90 % interval of the time, the model's error alone."
                               : "Without intervals: this result was written without them.";
  chart.caption =
      fmt::format("{} best trade-offs between time and {}",
                  count_text(static_cast<std::int64_t>(plan.front.size())), money ? "cost" : "nodes");
  return chart;
}

Table option_table(const Plan& plan) {
  const Columns columns{plan};
  Table table;
  table.caption = "The best of every design";
  table.columns = columns.heads("Or what it cannot keep");
  for (const auto& option : plan.options) {
    PlanCandidate none;
    none.node_title = option.node_title;
    none.network = option.network;
    none.storage = option.storage;
    const bool chosen = option.best && plan.chosen && same(*option.best, *plan.chosen);
    auto row = columns.row(option.best.value_or(none), chosen);
    if (!option.best) {
      row[0] = no_answer_cell();
      row[0].tone = Tone::bad;
      row[2] = {};
    }
    row.push_back(text_cell(chosen ? "chosen" : limit_titles(option.conflict)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table relaxation_table(const std::vector<Plan::Relaxation>& relaxations, const PlanCandidate& chosen) {
  Table table;
  table.caption = "If a limit were 10 % looser";
  table.columns = {{"Limit"}, {"Now", Align::right}};
  const bool used = std::ranges::any_of(relaxations, [](const auto& r) { return r.used.has_value(); });
  if (used) table.columns.push_back({"Used", Align::right});
  for (const Column& c : {Column{"10 % looser", Align::right}, Column{"Binds"}, Column{"Then"}})
    table.columns.push_back(c);
  for (const auto& r : relaxations) {
    std::vector<Cell> row{text_cell(limit_title(r.limit)), text_cell(r.now)};
    if (used) row.push_back(percent_cell(r.used));
    for (const std::string& text :
         {r.relaxed, std::string{r.binds ? "yes" : "no"}, relaxation_text(r, chosen)})
      row.push_back(text_cell(text));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A row for each limit that is worth something; all the others are one.
KeyValues relaxation_list(const std::vector<Plan::Relaxation>& relaxations, const PlanCandidate& chosen) {
  KeyValues list;
  std::vector<std::string> idle;
  for (const auto& r : relaxations) {
    if (is_idle(r))
      idle.push_back(r.limit);
    else
      list.rows.push_back({limit_title(r.limit) + ", " + r.relaxed, relaxation_text(r, chosen), {}});
  }
  if (!idle.empty())
    list.rows.push_back({list.rows.empty() ? "each" : "each of the others",
                         "nothing: " + limit_titles(idle) + (idle.size() > 1 ? " do" : " does") + " not bind",
                         {}});
  return list;
}

Table conflict_table(const Plan& plan) {
  Table table;
  table.caption = plan.conflict_set.size() == 1
                      ? "The limit that cannot be kept"
                      : "The smallest set of limits that conflict: drop any one, and the others can be kept";
  table.columns = {{"Limit"}, {"Allowed", Align::right}, {"Needed", Align::right}, {"Why"}};
  for (const auto& c : plan.conflict_set)
    table.rows.push_back({text_cell(limit_title(c.limit)), text_cell(c.allowed), text_cell(c.needed),
                          text_cell(conflict_text(c))});
  return table;
}

std::string effort(const Plan& plan) {
  std::string out = fmt::format("{} searched", counted(plan.designs, "design"));
  if (plan.variants > 1) out += fmt::format(", {} ways to run each workload", count_text(plan.variants));
  return out + fmt::format("; {} sizes judged, {} of them simulated.", count_text(plan.judged),
                           count_text(plan.simulated));
}

void add_front(Blocks& blocks, const Plan& plan, const ResultDocument& document) {
  if (plan.front.size() < 2) return;
  Table table = front_table(plan, plan.front, true, document.deadline_s);
  if (auto chart = front_chart(plan, document)) {
    chart->data = std::move(table);
    blocks.push_back({std::move(*chart), Audience::document});
  } else {
    blocks.push_back({std::move(table), Audience::document});
  }
  if (plan.designs > 1 || plan.objective != "fewest-nodes") {
    Table few = front_table(plan, near_choice(plan), false, document.deadline_s);
    blocks.push_back({std::move(few), Audience::terminal});
  }
}

/// Workloads by the names that the rest of the report gives them.
Plan with_titles(Plan plan, const ResultDocument& document) {
  const auto name = [&document](PlanCandidate& c) {
    for (PlanCandidate::Workload& w : c.workloads) {
      const auto known = std::ranges::find(document.workloads, w.model, &WorkloadResult::model);
      if (known != document.workloads.end() && !known->title.empty()) w.model = known->title;
    }
  };
  std::ranges::for_each(plan.front, name);
  for (auto& option : plan.options) {
    if (option.best) name(*option.best);
  }
  if (plan.chosen) name(*plan.chosen);
  return plan;
}

}  // namespace

Blocks relaxation_blocks(const std::optional<Plan>& plan) {
  if (!plan || !plan->chosen || plan->relaxations.empty()) return {};
  return {{Paragraph{"If a limit were 10 % looser:"}, Audience::terminal},
          {relaxation_list(plan->relaxations, *plan->chosen), Audience::terminal},
          {relaxation_table(plan->relaxations, *plan->chosen), Audience::document}};
}

Blocks plan_section(const ResultDocument& document) {
  if (!document.plan || document.serving) return {};
  const Plan plan = with_titles(*document.plan, document);
  Blocks blocks;
  const bool searched = plan.designs > 1 || plan.variants > 1 || plan.objective != "fewest-nodes";
  const auto audience = searched || !plan.chosen ? Audience::everyone : Audience::document;
  const std::string statement = plan_text(document);
  const bool said = answer_text(document).starts_with(statement);
  blocks.push_back({Paragraph{said ? effort(plan) : statement + " " + effort(plan)}, audience});
  if (const std::string smaller = smaller_text(document); !smaller.empty())
    blocks.push_back({Paragraph{smaller}, audience});
  if (!plan.conflict_set.empty()) {
    // The answer's own conflicts may say the same already.
    const auto& told = document.answer.conflicts;
    const bool same = !told.empty() && !told.front().why;
    blocks.push_back({conflict_table(plan), same ? Audience::document : Audience::everyone});
  }
  if (plan.options.size() > 1) blocks.push_back({option_table(plan)});
  add_front(blocks, plan, document);
  std::ranges::move(relaxation_blocks(plan), std::back_inserter(blocks));
  if (!plan.refused.empty()) {
    const auto who = searched ? Audience::everyone : Audience::document;
    blocks.push_back({Paragraph{"What could not be built:"}, who});
    blocks.push_back({List{plan.refused}, who});
  }
  return blocks;
}

}  // namespace rackcast::reports
