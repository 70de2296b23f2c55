/// Switches by level, cables by product and length, ports left.
#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast::reports {
namespace {

Table switch_table(const SiteNetwork& network) {
  Table table;
  table.caption = "Switches";
  table.columns = {
      {"Level"}, {"Product"}, {"Count", Align::right}, {"Ports", Align::right}, {"Ports left", Align::right}};
  for (const auto& s : network.switches) {
    table.rows.push_back({text_cell(s.level), text_cell(s.product), count_cell(s.count), count_cell(s.ports),
                          count_cell(s.free_ports)});
  }
  return table;
}

Table cable_table(const SiteNetwork& network) {
  Table table;
  table.caption = "Cables";
  table.columns = {{"From, to"}, {"Link"}, {"Length", Align::right}, {"Product"}, {"Count", Align::right}};
  for (const auto& c : network.cables) {
    Cell product = text_cell(c.product.empty() ? "none in the catalogue" : c.product);
    product.tone = c.product.empty() ? Tone::caution : Tone::plain;
    table.rows.push_back({text_cell(c.use), text_cell(c.link),
                          Cell{to_text(Length{c.length_m}), c.length_m, "m"}, product, count_cell(c.count)});
  }
  return table;
}

}  // namespace

Blocks network_section(const ResultDocument& document) {
  if (!document.site || !document.site->network) return {};
  const SiteNetwork& network = *document.site->network;
  Blocks blocks{{Paragraph{network.statement}}};
  blocks.push_back({switch_table(network), Audience::document});
  if (!network.cables.empty()) blocks.push_back({cable_table(network), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
