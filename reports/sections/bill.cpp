/// Bill of materials: what, how many, at which price, from where, how sure.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

Cell money_cell(std::optional<double> dollars, const char* missing) {
  return dollars ? Cell{number_text(*dollars) + " USD", dollars, "USD"}
                 : Cell{.text = missing, .value = {}, .unit = {}, .tone = Tone::caution};
}

std::string origin(const SiteBillRow& row) {
  std::string text = row.source;
  if (!row.note.empty()) text += (text.empty() ? "" : "; ") + row.note;
  return text;
}

Table bill_table(const std::vector<SiteBillRow>& bill, std::ptrdiff_t unpriced) {
  Table table;
  table.caption = "Bill of materials";
  if (unpriced > 0)
    table.caption +=
        fmt::format("; {} without a price, so the sum is at least what is listed", counted(unpriced, "row"));
  table.columns = {{"Group"},
                   {"Item"},
                   {"Quantity", Align::right},
                   {"Unit price", Align::right},
                   {"Total", Align::right},
                   {"Price of"},
                   {"Confidence"},
                   {"Source", Align::left, 1}};
  // A reader changes prices, or fills in those that are not known.
  table.columns[4].formula = "IF(ISNUMBER([Unit price]), [Quantity] * [Unit price], \"\")";
  table.columns[4].total = true;
  table.columns[4].total_name = std::string(bill_total_name);
  for (const auto& row : bill) {
    const bool memory = row.confidence == "memory";
    Cell confidence = text_cell(memory ? "⚠ memory, unverified" : row.confidence);
    confidence.tone = memory ? Tone::caution : Tone::plain;
    table.rows.push_back({text_cell(row.group), text_cell(row.item), number_cell(row.quantity, "1"),
                          money_cell(row.unit_price_usd, "not priced"), money_cell(row.total_usd, ""),
                          text_cell(row.date), confidence, text_cell(origin(row))});
  }
  return table;
}

}  // namespace

Blocks bill_section(const ResultDocument& document) {
  if (!document.site || document.site->bill.empty()) return {};
  const auto& bill = document.site->bill;
  const auto unpriced = std::ranges::count_if(bill, [](const auto& row) { return !row.unit_price_usd; });
  std::string text = counted(std::ssize(bill), "row");
  if (unpriced == std::ssize(bill)) {
    text += ", none of them with a price";
    if (!document.site->cost) text += "; \"prices\" with a date in the scenario's \"site\" adds them";
  } else if (document.site->bill_total_usd) {
    text += fmt::format(", {} in all", sum_text(to_text(Money{*document.site->bill_total_usd}),
                                                document.site->bill_is_open()));
    double memory = 0;
    for (const auto& row : bill) memory += row.confidence == "memory" ? row.total_usd.value_or(0) : 0;
    if (memory > 0) text += fmt::format("; {} of it at prices from memory", to_text(Money{memory}));
  }
  const auto& missing = document.site->no_price;
  if (!missing.empty() && unpriced < std::ssize(bill)) text += "; " + left_out_text(missing, "price");
  return {{Paragraph{text + "."}}, {bill_table(bill, unpriced), Audience::document}};
}

}  // namespace rackcast::reports
