/// Switches by level, cables by product and length, ports left.
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "reports/blocks/format.hpp"
#include "reports/drawings/level_drawing.hpp"
#include "reports/drawings/machine_svg.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "sim/units/quantity_text.hpp"

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

/// Cables of all uses whose name begins so: "leaf to spine".
std::int64_t cables_between(const SiteNetwork& network, std::string_view use) {
  std::int64_t sum = 0;
  for (const auto& c : network.cables) {
    if (c.use.starts_with(use)) sum += c.count;
  }
  return sum;
}

/// The levels of the network from the top, with what hangs below.
std::optional<Drawing> level_drawing(const SiteRacks& racks, const SiteNetwork& network) {
  LevelDrawing drawing;
  std::string words;
  const auto level = [&](std::string_view name, int colour) {
    for (const auto& s : network.switches) {
      if (s.level != name) continue;
      drawing.rows.emplace_back();
      drawing.rows.back().push_back(
          {fmt::format("{} {}: {}", s.count, s.count == 1 ? "switch" : "switches", s.product), s.count,
           colour});
      words += fmt::format("{}{} {} {}", words.empty() ? "" : ", ", s.count, name,
                           s.count == 1 ? "switch" : "switches");
      return true;
    }
    return false;
  };
  const auto join = [&](std::int64_t cables) {
    drawing.joins.push_back(cables > 0 ? counted(cables, "cable") : std::string{});
  };
  const bool cores = level("core", 5), spines = level("spine", 4);
  if (cores && spines) join(cables_between(network, "between spines and cores"));
  if (!level("leaf", 1)) return std::nullopt;
  if (cores || spines) join(cables_between(network, "leaf to spine"));
  drawing.rows.emplace_back();
  for (const auto& d : racks.devices) {
    if ((d.kind == "server" || d.kind == "storage") && d.count > 0)
      drawing.rows.back().push_back(
          {fmt::format("{} x {}", d.count, d.name), d.count, d.kind == "server" ? 0 : 3});
  }
  join(cables_between(network, "node to leaf") + cables_between(network, "storage to leaf"));
  if (drawing.rows.back().empty()) return std::nullopt;
  return Drawing{"The network by level; a bar stands for all cables between two levels",
                 words + "; the tables below list them", level_svg(drawing)};
}

}  // namespace

Blocks network_section(const ResultDocument& document) {
  Blocks blocks;
  const bool sited = document.site && document.site->network;
  if (sited) blocks.push_back({Paragraph{network_text(*document.site->network)}});
  bool drawn = false;
  for (const MachineDrawing& drawing : document.drawings) {
    drawn = drawn || drawing.of == "network";
    blocks.push_back({machine_drawing(drawing), Audience::document, drawing.of != "network"});
  }
  if (!sited) return blocks;
  const SiteNetwork& network = *document.site->network;
  if (auto levels = level_drawing(document.site->racks, network); levels && !drawn) {
    blocks.push_back({std::move(*levels), Audience::document});
  }
  blocks.push_back({switch_table(network), Audience::document, true});
  if (!network.cables.empty()) blocks.push_back({cable_table(network), Audience::document, true});
  return blocks;
}

}  // namespace rackcast::reports
