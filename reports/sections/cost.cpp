/// What it costs to own for a year, against renting, and per training run.
#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast::reports {
namespace {

Cell money_cell(std::optional<double> dollars) {
  return dollars ? Cell{to_text(Money{*dollars}), dollars, "USD"}
                 : Cell{.text = "not known", .value = {}, .unit = {}};
}

Table year_table(const SiteCost& c) {
  Table table;
  table.caption = fmt::format("A year of owning, {} of it training", percent_text(c.utilisation.value_or(1)));
  table.columns = {{"What"}, {"Cost", Align::right}, {"How"}};
  const auto add = [&table](const char* what, std::optional<double> dollars, std::string how) {
    table.rows.push_back({text_cell(what), money_cell(dollars), text_cell(std::move(how))});
  };
  add("Depreciation", c.depreciation_usd,
      fmt::format("{} over {} years", to_text(Money{c.capex_usd}),
                  number_text(c.depreciation_years.value_or(0))));
  add("Interest", c.interest_usd, "on half of the purchase, the mean of what is bound");
  add("Energy", c.energy_usd,
      fmt::format("the site's, at {} USD/kWh", number_text(c.usd_per_kwh.value_or(0))));
  add("Space", c.space_usd, "by the power of the equipment");
  add("Support", c.support_usd, "a fraction of the purchase");
  add("Staff", c.staff_usd, c.staff_usd ? "as given" : "no wages in the catalogue");
  add("Sum", c.year_usd, c.staff_usd ? "" : "without staff");
  return table;
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
  table.caption = "One training run";
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
  blocks.push_back({year_table(cost), Audience::document});
  if (cost.rent) {
    blocks.push_back({Subheading{"Buy or rent"}, Audience::document});
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
