/// Switches by level, cables by product and length, ports left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include "reports/blocks/format.hpp"
#include "reports/drawings/level_drawing.hpp"
#include "reports/drawings/machine_svg.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/link_sentences.hpp"
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

/// Links that are full for less than this share of a step need no row.
constexpr double least_share = 0.0005;

Table link_table(const std::vector<WorkloadResult>& workloads) {
  Table table;
  table.caption =
      "How full links are in a step: bytes of gradients, weights and samples over what they could "
      "carry meanwhile; parallel cables between two devices are one link";
  table.columns = {{"Technology"},
                   {"From, to"},
                   {"Links", Align::right},
                   {"Mean", Align::right},
                   {"Fullest", Align::right}};
  const bool several = workloads.size() > 1;
  if (several) table.columns.insert(table.columns.begin(), {"Workload"});
  for (const WorkloadResult& workload : workloads) {
    std::vector<doc::LinkShare> links = workload.links;
    std::ranges::stable_sort(links, std::greater{}, &doc::LinkShare::fullest);
    for (const doc::LinkShare& link : links) {
      if (link.fullest < least_share) continue;
      auto& row = table.rows.emplace_back();
      if (several) row.push_back(text_cell(workload.title));
      row.insert(row.end(),
                 {text_cell(link_technology_text(link)), text_cell(link_ends_text(link)),
                  count_cell(std::llround(link.links)), percent_cell(link.mean), percent_cell(link.fullest)});
    }
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
  for (const WorkloadResult& workload : document.workloads)
    if (std::string text = links_text(workload); !text.empty())
      blocks.push_back({Paragraph{std::move(text)}});
  bool drawn = false;
  const LineLoads loads = line_loads(document.workloads);
  for (const MachineDrawing& drawing : document.drawings) {
    const bool network = drawing.of == "network";
    drawn = drawn || network;
    blocks.push_back({machine_drawing(drawing, network ? loads : LineLoads{}), Audience::document, !network});
  }
  if (Table links = link_table(document.workloads); !links.rows.empty())
    blocks.push_back({std::move(links), Audience::document, true});
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
