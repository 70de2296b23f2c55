#include "reports/campaign_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/format.hpp"
#include "reports/load_members.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast::reports {
namespace {

std::string money(double dollars) {
  return to_text(Money{dollars});
}

Cell money_cell(std::optional<double> dollars) {
  return dollars ? Cell{money(*dollars), dollars, "USD"} : Cell{};
}
Cell money_cell(const Prediction& p) {
  return {money(p.value), p.value, "USD", Tone::plain, p.low, p.high};
}

/// "an experiment of developers".
std::string job_of(const Json& stream) {
  const std::string_view noun = job_noun(stream.require("kind").string());
  return fmt::format("{} {} of {}", noun == "experiment" ? "an" : "a", noun, stream.require("name").string());
}

/// Do the sums of owning leave something out for want of a price, a power rating or rack units?
bool is_open(const Json& cost) {
  const Json* lacking = optional_member(cost, "lacking");
  if (lacking == nullptr) return false;
  for (const char* what : {"prices", "power", "units"})
    if (const Json* list = optional_member(*lacking, what); list != nullptr && !list->array().empty())
      return true;
  return false;
}

/// What one job costs, stream by stream.
std::string jobs_sentence(const Json& cost) {
  std::string out;
  for (const Json& s : cost.require("streams").array()) {
    const auto job = optional_prediction(s, "job", "USD");
    if (!job) continue;
    const auto most = optional_amount(s.require("owned_jobs"), "p90_usd");
    const auto rented = optional_prediction(s, "rented_job", "USD");
    out += fmt::format("{}{} costs {} on average", out.empty() ? "" : "; ", job_of(s),
                       sum_text(money(job->value), is_open(cost)));
    if (!is_open(cost)) out += fmt::format(" (90 % interval {} to {})", money(job->low), money(job->high));
    if (most && money(*most) != money(job->value))
      out += fmt::format(", nine in ten no more than {}", money(*most));
    if (rented) out += fmt::format(", and rented {}", money(rented->value));
  }
  if (out.empty()) return "No job was submitted after the warm-up and ended.";
  out.front() = 'A';
  return out + ".";
}

/// What the whole cluster costs, and whether it should be rented.
std::string cluster_sentence(const Json& cost) {
  const double used = amount(cost, "utilisation");
  std::string out = fmt::format(
      "In the {} after the warm-up the cluster costs {}, in use for {} of the time; "
      "all of that is borne by the jobs.",
      duration_text(amount(cost, "over_s")), sum_text(money(amount(cost, "owned_usd")), is_open(cost)),
      percent_text(used));
  if (const Json* rent = optional_member(cost, "rent")) {
    const std::string note = text_or_empty(*rent, "note");
    out += fmt::format(" The same jobs on rented {} ({}, {}{}) cost {}.", rent->require("instance").string(),
                       rent->require("terms_title").string(), rent->require("date").string(),
                       note.empty() ? "" : "; " + note, money(amount(*rent, "rented_usd")));
    const auto even = optional_amount(*rent, "break_even_utilisation");
    out += is_open(cost) ? " Whether owning is cheaper cannot be said: its cost leaves something out."
           : even ? fmt::format(" Owning is cheaper when the cluster is in use for more than {} of the time.",
                                percent_text(*even))
                  : " Renting is cheaper even for a cluster that never rests.";
  }
  return out;
}

Table job_table(const Json& cost) {
  Table table;
  table.caption = is_open(cost) ? "What one job costs, owned at least that" : "What one job costs";
  table.columns = {{"Stream"},
                   {"Job"},
                   {"Ended", Align::right, 2},
                   {"Owned, mean", Align::right},
                   {"50 %", Align::right, 2},
                   {"90 %", Align::right},
                   {"99 %", Align::right, 3},
                   {"Node hour", Align::right, 1},
                   {"Whole stream", Align::right, 1}};
  const bool rent = optional_member(cost, "rent") != nullptr;
  if (rent) {
    table.columns.push_back({"Rented, mean", Align::right});
    table.columns.push_back({"Whole stream, rented", Align::right, 3});
  }
  for (const Json& s : cost.require("streams").array()) {
    const auto job = optional_prediction(s, "job", "USD");
    std::vector<Cell> row{text_cell(s.require("name").string()),
                          text_cell(std::string{job_noun(s.require("kind").string())}),
                          count_cell(count(s.require("jobs"))), job ? money_cell(*job) : Cell{}};
    for (const char* key : {"p50_usd", "p90_usd", "p99_usd"})
      row.push_back(money_cell(optional_amount(s.require("owned_jobs"), key)));
    row.push_back(money_cell(amount(s, "node_hour_usd")));
    row.push_back(money_cell(amount(s, "owned_usd")));
    if (rent) {
      const auto rented = optional_prediction(s, "rented_job", "USD");
      row.push_back(rented ? money_cell(*rented) : Cell{});
      row.push_back(money_cell(amount(s, "rented_usd")));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::optional<BarChart> job_chart(const Json& cost) {
  BarChart chart;
  chart.axis = {"Cost of one job, mean", Axis::Kind::money};
  chart.caption = "What one job costs, owned and rented";
  chart.about_interval =
      "90 % interval of arrivals, failures, simulated run times and, owned, power; prices are as given.";
  chart.data.caption = chart.caption;
  chart.data.columns = {{"Job"}, {"Cost", Align::right}};
  const auto add = [&chart](std::string label, const std::optional<Prediction>& p, Tone tone) {
    if (!p) return;
    const bool band = p->low < p->high;
    chart.bars.push_back({.label = label,
                          .value = p->value,
                          .text = money(p->value),
                          .low = band ? std::optional(p->low) : std::nullopt,
                          .high = band ? std::optional(p->high) : std::nullopt,
                          .tone = tone});
    chart.data.rows.push_back(
        {text_cell(std::move(label)), with_interval(money_cell(p->value), p->low, p->high, money)});
  };
  for (const Json& s : cost.require("streams").array()) {
    const std::string name = s.require("name").string();
    add(name + ", owned", optional_prediction(s, "job", "USD"), Tone::good);
    add(name + ", rented", optional_prediction(s, "rented_job", "USD"), Tone::plain);
  }
  return chart.bars.empty() ? std::nullopt : std::optional(std::move(chart));
}

/// What an hour of a node in use consists of.
Table hour_table(const Json& hour, bool open) {
  Table table;
  table.caption = "An hour of a node in use, mean of all streams";
  if (open) table.caption += "; at least, for want of prices or power";
  table.columns = {{"What"}, {"Cost", Align::right}};
  const auto add = [&](const char* what, const char* key) {
    const auto dollars = optional_amount(hour, key);
    table.rows.push_back({text_cell(what), dollars ? money_cell(dollars) : text_cell("not known")});
  };
  add("Depreciation", "depreciation_usd");
  add("Interest", "interest_usd");
  add("Energy, cooling and idle nodes included", "energy_usd");
  add("Space", "space_usd");
  add("Support", "support_usd");
  add("Staff", "staff_usd");
  add("Sum", "total_usd");
  return table;
}

}  // namespace

std::string_view job_noun(std::string_view kind) {
  if (kind == "team") return "experiment";
  if (kind == "ensemble") return "member";
  if (kind == "retraining") return "retraining";
  return kind == "run" ? "run" : "job";
}

Section campaign_cost_section(const Json& cost) {
  Section out{"cost", "Cost", {}};
  if (!cost.require("known").boolean()) {
    out.blocks.push_back({Paragraph{cost.require("statement").string()}});
    return out;
  }
  out.blocks.push_back({Paragraph{jobs_sentence(cost)}});
  out.blocks.push_back({Paragraph{cluster_sentence(cost)}});
  out.blocks.push_back({job_table(cost)});
  if (auto chart = job_chart(cost)) out.blocks.push_back({std::move(*chart), Audience::document});
  out.blocks.push_back({hour_table(cost.require("node_hour"), is_open(cost)), Audience::document});
  std::string missing;
  for (const Json& item : cost.require("missing").array())
    missing += (missing.empty() ? "" : "; ") + item.string();
  if (!missing.empty()) out.blocks.push_back({Paragraph{"Without a price, and left out: " + missing + "."}});
  return out;
}

}  // namespace rackcast::reports
