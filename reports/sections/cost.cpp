/// What it costs to own for a year, against renting, and per training run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast::reports {
namespace {

Cell money_cell(std::optional<double> dollars) {
  return dollars ? Cell{to_text(Money{*dollars}), dollars, "USD"}
                 : Cell{.text = "not known", .value = {}, .unit = {}};
}

/// `billed`: the purchase is the sum of a bill of materials in the same report.
Table year_table(const SiteCost& c, bool billed) {
  Table table;
  table.caption =
      fmt::format("A year of owning, {} of it {}", percent_text(c.utilisation.value_or(1)), c.activity);
  table.columns = {{"What"}, {"Cost", Align::right}, {"How"}};
  const auto add = [&table](const char* what, std::optional<double> dollars, std::string how,
                            std::string formula = {}) {
    table.rows.push_back({text_cell(what), money_cell(dollars), text_cell(std::move(how))});
    table.rows.back()[1].formula = std::move(formula);
  };
  // In a workbook what follows from the purchase follows the bill, and energy its price.
  const auto of_purchase = [&](std::optional<double> dollars) {
    return billed && dollars && c.capex_usd > 0
               ? fmt::format("{} * {:.10g}", bill_total_name, *dollars / c.capex_usd)
               : std::string{};
  };
  const bool priced = c.energy_usd && c.usd_per_kwh.value_or(0) > 0;
  add("Depreciation", c.depreciation_usd,
      fmt::format("{} over {} years", to_text(Money{c.capex_usd}),
                  number_text(c.depreciation_years.value_or(0))),
      of_purchase(c.depreciation_usd));
  add("Interest", c.interest_usd, "on half of the purchase, the mean of what is bound",
      of_purchase(c.interest_usd));
  add("Energy", c.energy_usd,
      fmt::format("the site's, at {} USD/kWh", number_text(c.usd_per_kwh.value_or(0))),
      priced ? fmt::format("{:.10g} * {:.10g}", *c.energy_usd / *c.usd_per_kwh, *c.usd_per_kwh) : "");
  add("Space", c.space_usd, "by the power of the equipment");
  add("Support", c.support_usd, "a fraction of the purchase", of_purchase(c.support_usd));
  add("Staff", c.staff_usd, !c.staff_usd ? "no wages given" : c.staff_how.empty() ? "as given" : c.staff_how);
  add("Sum", c.year_usd, c.staff_usd ? "" : "without staff", "SUM({above})");
  return table;
}

/// What a year costs by the share of it that the cluster trains, owned and rented.
std::optional<Chart> rent_chart(const SiteCost& c, bool billed) {
  const SiteCost::Rent& r = *c.rent;
  const double used = c.utilisation.value_or(0);
  if (!r.year_usd || !c.year_usd || !c.energy_usd || !c.energy_idle_usd || !c.energy_busy_usd || used <= 0) {
    return std::nullopt;
  }
  const auto own = [&](double u) {
    return *c.year_usd - *c.energy_usd + *c.energy_idle_usd + u * (*c.energy_busy_usd - *c.energy_idle_usd);
  };
  const auto rent = [&](double u) {
    return *r.year_usd * u / used;
  };
  const double of_purchase =
      c.depreciation_usd.value_or(0) + c.interest_usd.value_or(0) + c.support_usd.value_or(0);
  Chart chart;
  chart.x = {c.activity == "training" ? "Share of the year that the cluster trains"
                                      : "Share of the year that the cluster serves",
             Axis::Kind::percent};
  chart.y = {"Cost of a year", Axis::Kind::money};
  chart.caption = r.break_even
                      ? fmt::format("Owning is cheaper than renting from {} utilisation on; planned are {}",
                                    percent_text(*r.break_even), percent_text(used))
                      : "Renting is cheaper than owning at any utilisation";
  chart.data.caption = "A year, owned and rented";
  chart.data.columns = {{"Utilisation", Align::right}, {"Owned", Align::right}, {"Rented", Align::right}};
  chart.lines = {{"Owned", {}}, {"Rented", {}}};
  std::vector<double> shares{0, 0.2, 0.4, 0.6, 0.8, 1, used};
  if (r.break_even) shares.push_back(*r.break_even);
  std::ranges::sort(shares);
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  for (const double u : shares) {
    chart.lines[0].points.push_back({u, own(u), own(u), own(u)});
    chart.lines[1].points.push_back({u, rent(u), rent(u), rent(u)});
    Cell share = percent_cell(u);
    share.tone = u == used ? Tone::good : Tone::plain;
    Cell owned = money_cell(own(u));
    // In a workbook the parts that follow from the purchase follow the bill.
    if (billed && of_purchase > 0)
      owned.formula = fmt::format("{} * {:.10g} + {:.10g}", bill_total_name, of_purchase / c.capex_usd,
                                  own(u) - of_purchase);
    chart.data.rows.push_back({share, std::move(owned), money_cell(rent(u))});
  }
  if (r.break_even) {
    const double y = own(*r.break_even);
    chart.lines.push_back({.name = "Break-even",
                           .points = {{*r.break_even, y, y, y, "Break-even"}},
                           .dashed = false,
                           .scattered = true});
  }
  chart.marked_x = used;
  chart.marked_label = "planned, " + percent_text(used);
  return chart;
}

KeyValues rent_facts(const SiteCost::Rent& r) {
  KeyValues out;
  out.rows = {{"Instance", fmt::format("{} x {}", r.instances.value_or(0), r.instance),
               fmt::format("{} USD/h each, {}, {}", number_text(r.usd_per_hour), r.terms, r.date)},
              {"The same hours of a year", r.year_usd ? to_text(Money{*r.year_usd}) : "unknown",
               "the same speed per GPU is assumed; networks differ"},
              {"Break-even", r.break_even ? percent_text(*r.break_even) + " utilisation" : "never",
               r.break_even ? "above it owning is cheaper" : "renting is cheaper at any utilisation"},
              {"Source of the rate", r.source, r.confidence + (r.note.empty() ? "" : "; " + r.note)}};
  return out;
}

Table run_table(const SiteCost& c) {
  Table table;
  table.caption = c.activity == "training" ? "One training run" : "One day";
  table.columns = {{"Workload"}, {"Owned", Align::right}, {"Rented", Align::right}};
  for (const auto& run : c.runs) {
    table.rows.push_back({text_cell(run.title), money_cell(run.own_usd), money_cell(run.rent_usd)});
  }
  return table;
}

}  // namespace

Blocks cost_section(const ResultDocument& document) {
  if (!document.site || !document.site->cost) return {};
  const SiteCost& cost = *document.site->cost;
  Blocks blocks{{Paragraph{cost.statement}}};
  const double bill = document.site->bill.empty() ? 0 : document.site->bill_total_usd.value_or(0);
  const bool billed = bill > 0 && std::abs(cost.capex_usd / bill - 1) < 1e-6;
  blocks.push_back({year_table(cost, billed), Audience::document});
  if (cost.rent) {
    blocks.push_back({Subheading{"Buy or rent"}, Audience::document});
    if (auto chart = rent_chart(cost, billed)) blocks.push_back({std::move(*chart), Audience::document});
    blocks.push_back({rent_facts(*cost.rent), Audience::document});
  }
  if (!cost.runs.empty()) blocks.push_back({run_table(cost)});
  if (!cost.missing.empty()) {
    blocks.push_back({Subheading{"Not in these sums"}, Audience::document});
    blocks.push_back({List{cost.missing}, Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
