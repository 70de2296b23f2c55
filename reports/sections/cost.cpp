/// What it costs to own for a year, against renting, and per training run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

std::string money_text(double dollars) {
  return dollars < 1e6 ? number_text(dollars) + " USD" : to_text(Money{dollars});
}

Cell money_cell(std::optional<double> dollars) {
  return dollars ? Cell{money_text(*dollars), dollars, "USD"}
                 : Cell{.text = "not known", .value = {}, .unit = {}};
}

/// The formulas of a workbook, in which the reader may change what the sums rest on: the bill's prices and
/// the cells of rate_table by their names. Each gives the number of the document as long as nothing is
/// changed.
class Formulas {
 public:
  /// `billed`: the purchase is the sum of a bill of materials in the same report.
  Formulas(const SiteCost& c, bool billed) : c_(c), purchase_(purchase(c, billed)) {}

  [[nodiscard]] std::string depreciation() const {
    return by_year(c_.depreciation_usd, purchase_ + " / write_off_years");
  }
  [[nodiscard]] std::string interest() const {
    return by_year(c_.interest_usd, purchase_ + " / 2 * interest_rate");
  }
  [[nodiscard]] std::string support() const { return by_year(c_.support_usd, purchase_ + " * support_rate"); }
  /// `share`: of the year that the cluster works.
  [[nodiscard]] std::string energy(std::string_view share) const {
    return fmt::format("({} + {} * {}) * energy_price", digits(idle_kwh()), share, digits(busy_kwh()));
  }
  [[nodiscard]] std::string owned(std::string_view share) const {
    return fmt::format("{} + {} + {} + {} + {}", depreciation(), interest(), support(),
                       digits(c_.space_usd.value_or(0) + c_.staff_usd.value_or(0)), energy(share));
  }
  [[nodiscard]] std::string rented(std::string_view share) const {
    return fmt::format("{} * {} * rent_per_hour", share, digits(instance_hours()));
  }
  [[nodiscard]] std::string break_even() const {
    return fmt::format("({}) / ({} * rent_per_hour - {} * energy_price)", owned("0"),
                       digits(instance_hours()), digits(busy_kwh()));
  }
  /// A part of the year's sum.
  [[nodiscard]] std::string of_year(double dollars) const {
    return c_.year_usd.value_or(0) > 0 ? "cost_of_year * " + digits(dollars / *c_.year_usd) : std::string{};
  }
  [[nodiscard]] bool has_energy() const {
    return c_.energy_idle_usd && c_.energy_busy_usd && c_.usd_per_kwh.value_or(0) > 0;
  }
  [[nodiscard]] bool has_all() const { return has_energy() && c_.depreciation_usd && c_.capex_usd > 0; }

 private:
  static std::string digits(double value) { return fmt::format("{:.10g}", value); }
  static std::string purchase(const SiteCost& c, bool billed) {
    return billed ? std::string(bill_total_name) : digits(c.capex_usd);
  }
  static std::string by_year(const std::optional<double>& dollars, std::string formula) {
    return dollars ? formula : "0";
  }
  [[nodiscard]] double idle_kwh() const { return *c_.energy_idle_usd / *c_.usd_per_kwh; }
  [[nodiscard]] double busy_kwh() const { return *c_.energy_busy_usd / *c_.usd_per_kwh - idle_kwh(); }
  /// Of all instances, in a year without rest.
  [[nodiscard]] double instance_hours() const {
    const double share = c_.utilisation.value_or(1);
    return c_.rent->year_usd.value_or(0) / share / c_.rent->usd_per_hour;
  }

  const SiteCost& c_;
  std::string purchase_;
};

/// What the sums rest on beside the bill; in a workbook cells to change.
Table rate_table(const SiteCost& c, const Formulas& formulas) {
  Table table;
  table.caption = "Rates that these sums rest on";
  table.columns = {{"Rate"}, {"Value", Align::right}, {"Of what"}};
  const auto add = [&table](const char* what, Cell value, const char* name, const char* of) {
    value.name = name;
    table.rows.push_back({text_cell(what), std::move(value), text_cell(of)});
  };
  if (c.usd_per_kwh)
    add("Electricity", {number_text(*c.usd_per_kwh) + " USD/kWh", c.usd_per_kwh, "USD/kWh"}, "energy_price",
        "the site's energy, cooling included");
  add("Use", percent_cell(c.utilisation.value_or(1)), "share_in_use",
      "share of the year that the cluster works");
  if (c.depreciation_years)
    add("Written off over", {number_text(*c.depreciation_years) + " years", c.depreciation_years, "years"},
        "write_off_years", "the purchase");
  if (c.capex_usd > 0 && c.interest_usd)
    add("Interest", percent_cell(2 * *c.interest_usd / c.capex_usd), "interest_rate",
        "a year, on half of the purchase");
  if (c.capex_usd > 0 && c.support_usd)
    add("Support", percent_cell(*c.support_usd / c.capex_usd), "support_rate", "a year, of the purchase");
  if (c.rent && c.rent->year_usd && c.rent->usd_per_hour > 0) {
    add("Rent", {number_text(c.rent->usd_per_hour) + " USD/h", c.rent->usd_per_hour, "USD/h"},
        "rent_per_hour", "one instance");
    if (formulas.has_all() && c.rent->break_even) {
      Cell even = percent_cell(c.rent->break_even);
      even.formula = formulas.break_even();
      add("Break-even", std::move(even), "", "use above which owning is cheaper: follows from the others");
    }
  }
  return table;
}

Table year_table(const SiteCost& c, const Formulas& formulas, const Site& site) {
  Table table;
  table.caption =
      fmt::format("A year of owning, {} of it {}", percent_text(c.utilisation.value_or(1)), c.activity);
  if (site.cost_is_open()) table.caption += "; at least this much, because prices or powers are missing";
  table.columns = {{"What"}, {"Cost", Align::right}, {"How"}};
  const bool bill = site.bill_is_open(), power = !site.no_power.empty();
  const auto add = [&table](const char* what, std::optional<double> dollars, bool open, std::string how,
                            std::string formula = {}) {
    table.rows.push_back(
        {text_cell(what), sum_cell(money_cell(dollars), open && dollars), text_cell(std::move(how))});
    table.rows.back()[1].formula = std::move(formula);
  };
  const bool bought = c.capex_usd > 0;
  add("Depreciation", c.depreciation_usd, bill,
      fmt::format("{} over {} years", to_text(Money{c.capex_usd}),
                  number_text(c.depreciation_years.value_or(0))),
      bought && c.depreciation_years ? formulas.depreciation() : "");
  add("Interest", c.interest_usd, bill, "on half of the purchase, the mean of the bound capital",
      bought ? formulas.interest() : "");
  add("Energy", c.energy_usd, power,
      fmt::format("the site's, at {} USD/kWh", number_text(c.usd_per_kwh.value_or(0))),
      formulas.has_energy() ? formulas.energy("share_in_use") : "");
  add("Space", c.space_usd, power, "by the power of the equipment");
  add("Support", c.support_usd, bill, "a fraction of the purchase", bought ? formulas.support() : "");
  add("Staff", c.staff_usd, false,
      !c.staff_usd ? "no wages given"
      : !c.staff   ? "as given"
                   : row_of(*c.staff).value(*c.staff));
  add("Sum", c.year_usd, site.cost_is_open(), c.staff_usd ? "" : "without staff", "SUM({above})");
  table.rows.back()[1].name = "cost_of_year";
  return table;
}

/// What a year costs by the share of it that the cluster works, owned and rented.
std::optional<Chart> rent_chart(const SiteCost& c, const Formulas& formulas) {
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
  const bool known = c.energy_low_usd && c.energy_high_usd && *c.energy_usd > 0;
  const auto own_if = [&](double u, const std::optional<double>& energy) {
    const double of_energy = *c.energy_idle_usd + u * (*c.energy_busy_usd - *c.energy_idle_usd);
    return own(u) + (known ? of_energy * (*energy / *c.energy_usd - 1) : 0);
  };
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
  if (formulas.has_all()) chart.data.columns[1].formula = formulas.owned("[Utilisation]");
  if (r.usd_per_hour > 0) chart.data.columns[2].formula = formulas.rented("[Utilisation]");
  chart.lines = {{"Owned", {}}, {"Rented", {}}};
  std::vector<double> shares{0, 0.2, 0.4, 0.6, 0.8, 1, used};
  if (r.break_even) shares.push_back(*r.break_even);
  std::ranges::sort(shares);
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  for (const double u : shares) {
    const double low = own_if(u, c.energy_low_usd), high = own_if(u, c.energy_high_usd);
    chart.lines[0].points.push_back({u, own(u), low, high});
    chart.lines[1].points.push_back({u, rent(u), rent(u), rent(u)});
    if (u == r.break_even && u != used) continue;  // a workbook works it out below the rates
    Cell share = percent_cell(u);
    share.tone = u == used ? Tone::good : Tone::plain;
    chart.data.rows.push_back(
        {share, with_interval(money_cell(own(u)), low, high, money_text), money_cell(rent(u))});
  }
  if (r.break_even) {
    const double y = own(*r.break_even);
    chart.lines.push_back({.name = "Break-even",
                           .points = {{*r.break_even, y, y, y, "Break-even"}},
                           .dashed = false,
                           .scattered = true});
  }
  chart.about_interval = std::string{known ? "90 % interval of owning: power of the nodes and PUE. " : ""} +
                         "Prices are exact, as listed in the bill of materials and the assumptions; so is "
                         "renting, a price times hours.";
  chart.marked_x = used;
  chart.marked_label = "planned, " + percent_text(used);
  return chart;
}

/// "58 % utilisation (57 % to 60 %)": the interval is that of the energy.
std::string break_even_text(const SiteCost::Rent& r) {
  if (!r.break_even) return "never";
  const std::string even = percent_text(*r.break_even),
                    low = percent_text(r.break_even_low.value_or(*r.break_even)),
                    high = r.break_even_high  ? percent_text(*r.break_even_high)
                           : r.break_even_low ? std::string{"never"}
                                              : even;
  return even + " utilisation" + (low == even && high == even ? "" : fmt::format(" ({} to {})", low, high));
}

KeyValues rent_facts(const SiteCost::Rent& r, bool open) {
  KeyValues out;
  out.rows = {{"Instance", fmt::format("{} x {}", r.instances.value_or(0), r.instance),
               fmt::format("{} USD/h each, {}, {}", number_text(r.usd_per_hour), r.terms, r.date)},
              {"The same hours of a year", r.year_usd ? to_text(Money{*r.year_usd}) : "unknown",
               "the same speed per GPU is assumed; networks differ"},
              {"Break-even", open ? "cannot be said" : break_even_text(r),
               open           ? "the cost of owning leaves something out"
               : r.break_even ? "above it owning is cheaper"
                              : "renting is cheaper at any utilisation"},
              {"Source of the rate", r.source, r.confidence + (r.note.empty() ? "" : "; " + r.note)}};
  return out;
}

Table cost_of_runs(const SiteCost& c, const Formulas& formulas, bool open) {
  Table table;
  table.caption = c.activity == "training" ? "One training run" : "One day";
  if (open) table.caption += "; if owned, at least this much, because prices or powers are missing";
  table.columns = {{"Workload"}, {"Owned", Align::right}, {"Rented", Align::right}};
  for (const auto& run : c.runs) {
    // Beside a sum that leaves something out an interval would promise too much.
    Cell own = open ? sum_cell(money_cell(run.own_usd), true)
                    : with_interval(money_cell(run.own_usd), run.own_low_usd, run.own_high_usd, money_text);
    own.formula = formulas.of_year(run.own_usd);
    Cell rented = with_interval(money_cell(run.rent_usd), run.rent_low_usd, run.rent_high_usd, money_text);
    if (run.rent_usd && c.rent && c.rent->usd_per_hour > 0)
      rented.formula = fmt::format("{:.10g} * rent_per_hour", *run.rent_usd / c.rent->usd_per_hour);
    table.rows.push_back({text_cell(run.title), std::move(own), std::move(rented)});
  }
  return table;
}

}  // namespace

Blocks cost_section(const ResultDocument& document) {
  if (!document.site || !document.site->cost) return {};
  const SiteCost& cost = *document.site->cost;
  Blocks blocks{{Paragraph{cost_text(*document.site)}}};
  const double bill = document.site->bill.empty() ? 0 : document.site->bill_total_usd.value_or(0);
  const bool billed = bill > 0 && std::abs(cost.capex_usd / bill - 1) < 1e-6;
  const Formulas formulas(cost, billed);
  const bool open = document.site->cost_is_open();
  blocks.push_back({year_table(cost, formulas, *document.site), Audience::document});
  blocks.push_back({rate_table(cost, formulas), Audience::document});
  if (cost.rent) {
    blocks.push_back({Subheading{"Buy or rent"}, Audience::document});
    // Half a sum is not compared.
    if (auto chart = open ? std::nullopt : rent_chart(cost, formulas))
      blocks.push_back({std::move(*chart), Audience::document});
    blocks.push_back({rent_facts(*cost.rent, open), Audience::document});
  }
  if (!cost.runs.empty()) blocks.push_back({cost_of_runs(cost, formulas, open)});
  if (!cost.missing.empty()) {
    blocks.push_back({Subheading{"Not in these sums"}, Audience::document});
    List list;
    for (const doc::Reason& reason : cost.missing) list.items.push_back(reason_text(reason));
    blocks.push_back({std::move(list), Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
