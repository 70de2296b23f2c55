#include "reports/pages/campaign_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/units/quantity_text.hpp"

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

using CostFigures = doc::CampaignCost::Figures;

/// "an experiment of developers".
std::string job_of(const doc::CampaignCost::Stream& stream) {
  const std::string_view noun = job_noun(stream.kind);
  return fmt::format("{} {} of {}", noun == "experiment" ? "an" : "a", noun, stream.name);
}

/// What one job costs, stream by stream.
std::string jobs_sentence(const CostFigures& cost) {
  std::string out;
  for (const doc::CampaignCost::Stream& s : cost.streams) {
    const auto& job = s.job;
    if (!job) continue;
    const auto& most = s.owned_jobs.p90_usd;
    out += fmt::format("{}{} costs {} on average", out.empty() ? "" : "; ", job_of(s),
                       sum_text(money(job->value), cost.is_open()));
    if (!cost.is_open()) out += fmt::format(" (90 % interval {} to {})", money(job->low), money(job->high));
    if (most && money(*most) != money(job->value))
      out += fmt::format(", nine in ten no more than {}", money(*most));
    if (s.rented_job) out += fmt::format(", and rented {}", money(s.rented_job->value));
  }
  if (out.empty()) return "No job was submitted after the warm-up and ended.";
  out.front() = 'A';
  return out + ".";
}

/// What the whole cluster costs, and whether it should be rented.
std::string cluster_sentence(const CostFigures& cost) {
  std::string out = fmt::format(
      "In the {} after the warm-up the cluster costs {}, in use for {} of the time; its jobs bear the whole "
      "cost.",
      duration_text(cost.over_s), sum_text(money(cost.owned_usd), cost.is_open()),
      percent_text(cost.utilisation));
  if (const auto& rent = cost.rent) {
    out += fmt::format(" The same jobs on rented {} ({}, {}{}) cost {}.", rent->instance, rent->terms,
                       rent->date, rent->note.empty() ? "" : "; " + rent->note, money(rent->rented_usd));
    const auto& even = rent->break_even;
    out += cost.is_open() ? " Whether owning is cheaper cannot be said: its cost leaves something out."
           : even ? fmt::format(" Owning is cheaper when the cluster is in use for more than {} of the time.",
                                percent_text(*even))
                  : " Renting is cheaper even for a cluster that is never idle.";
  }
  return out;
}

Table job_table(const CostFigures& cost) {
  Table table;
  table.caption = cost.is_open() ? "What one job costs; if owned, at least this much" : "What one job costs";
  table.columns = {{"Stream"},
                   {"Job"},
                   {"Ended", Align::right, 2},
                   {"Owned, mean", Align::right},
                   {"Median", Align::right, 2},
                   {"90th percentile", Align::right},
                   {"99th percentile", Align::right, 3},
                   {"Node hour", Align::right, 1},
                   {"Whole stream", Align::right, 1}};
  const bool rent = cost.rent.has_value();
  if (rent) {
    table.columns.push_back({"Rented, mean", Align::right});
    table.columns.push_back({"Whole stream, rented", Align::right, 3});
  }
  for (const doc::CampaignCost::Stream& s : cost.streams) {
    std::vector<Cell> row{text_cell(s.name), text_cell(std::string{job_noun(s.kind)}), count_cell(s.jobs),
                          s.job ? money_cell(*s.job) : Cell{}};
    for (const auto& dollars : {s.owned_jobs.p50_usd, s.owned_jobs.p90_usd, s.owned_jobs.p99_usd})
      row.push_back(money_cell(dollars));
    row.push_back(money_cell(s.node_hour_usd));
    row.push_back(money_cell(s.owned_usd));
    if (rent) {
      row.push_back(s.rented_job ? money_cell(*s.rented_job) : Cell{});
      row.push_back(money_cell(s.rented_usd));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::optional<BarChart> job_chart(const CostFigures& cost) {
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
  for (const doc::CampaignCost::Stream& s : cost.streams) {
    add(s.name + ", owned", s.job, Tone::good);
    add(s.name + ", rented", s.rented_job, Tone::plain);
  }
  return chart.bars.empty() ? std::nullopt : std::optional(std::move(chart));
}

/// What an hour of a node in use consists of.
Table hour_table(const doc::CampaignCost::NodeHour& hour, bool open) {
  Table table;
  table.caption = "An hour of a node in use, mean of all streams";
  if (open) table.caption += "; at least this much, because prices or powers are missing";
  table.columns = {{"What"}, {"Cost", Align::right}};
  const auto add = [&table](const char* what, std::optional<double> dollars) {
    table.rows.push_back({text_cell(what), dollars ? money_cell(dollars) : text_cell("not known")});
  };
  add("Depreciation", hour.depreciation_usd);
  add("Interest", hour.interest_usd);
  add("Energy, cooling and idle nodes included", hour.energy_usd);
  add("Space", hour.space_usd);
  add("Support", hour.support_usd);
  add("Staff", hour.staff_usd);
  add("Sum", hour.total_usd);
  return table;
}

}  // namespace

std::string_view job_noun(std::string_view kind) {
  if (kind == "team") return "experiment";
  if (kind == "ensemble") return "member";
  if (kind == "retraining") return "retraining";
  return kind == "run" ? "run" : "job";
}

Section campaign_cost_section(const doc::CampaignCost& document) {
  Section out{"cost", "Cost", {}};
  if (!document.known) {
    out.blocks.push_back({Paragraph{why_text(document.why)}});
    return out;
  }
  const CostFigures& cost = document.figures;
  out.blocks.push_back({Paragraph{jobs_sentence(cost)}});
  out.blocks.push_back({Paragraph{cluster_sentence(cost)}});
  out.blocks.push_back({job_table(cost)});
  if (auto chart = job_chart(cost)) out.blocks.push_back({std::move(*chart), Audience::document});
  out.blocks.push_back({hour_table(cost.node_hour, cost.is_open()), Audience::document});
  std::string missing;
  for (const doc::Reason& item : cost.missing) missing += (missing.empty() ? "" : "; ") + reason_text(item);
  if (!missing.empty()) out.blocks.push_back({Paragraph{"Without a price, and left out: " + missing + "."}});
  return out;
}

}  // namespace rackcast::reports
