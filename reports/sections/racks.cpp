/// Racks: how many, what stands where, and the question of nameplate against typical power.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/drawings/floor_drawing.hpp"
#include "reports/drawings/rack_drawing.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::int64_t most_racks = 20'000;  ///< of a floor plan
constexpr std::size_t most_drawn = 6;        ///< kinds of racks; further ones stand in the table of contents

Cell power_cell(std::optional<double> watts) {
  return watts ? Cell{to_text(Power{*watts}), watts, "W"} : Cell{};
}

Cell weight_cell(std::optional<double> kilograms) {
  return kilograms ? Cell{to_text(Mass{*kilograms}), kilograms, "kg"} : Cell{};
}

int colour_of(const std::string& kind) {
  if (kind == "storage") return 3;
  if (kind == "switch") return 4;
  return kind == "server" ? 1 : 5;
}

std::string group_title(const SiteRacks::Group& group) {
  if (group.count == 1) return fmt::format("Rack {}", group.first);
  return fmt::format("Rack {}, and {} more like it", group.first, group.count - 1);
}

std::string contents_text(const SiteRacks::Group& group) {
  std::string text;
  for (const auto& one : group.contents) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : "; ", one.count, one.name);
  }
  return text;
}

Drawing drawing(const SiteRacks& racks, const SiteRacks::Group& group) {
  RackDrawing rack{group_title(group), static_cast<int>(group.rack_units.value_or(racks.units)), {}};
  for (const auto& p : group.positions) {
    rack.devices.push_back(
        {static_cast<int>(p.u), static_cast<int>(p.units), p.name, colour_of(p.kind), p.rear()});
  }
  return {group_title(group) + ", front and rear, units numbered from the bottom",
          "From the bottom: " + contents_text(group) + "; the next table lists the units", rack_svg(rack)};
}

/// The sum of what is known; more where the catalogue does not know a device of it.
Cell rack_weight(const SiteRacks& racks, const SiteRacks::Group& group) {
  Cell cell = weight_cell(group.weight_kg);
  const bool partly = std::ranges::any_of(group.contents, [&](const SiteRacks::Content& content) {
    const auto device = std::ranges::find(racks.devices, content.name, &SiteRacks::Device::name);
    return device != racks.devices.end() && !device->weight_kg;
  });
  if (partly && !cell.text.empty()) cell.text = "at least " + cell.text;
  return cell;
}

Table group_table(const SiteRacks& racks) {
  Table table;
  table.caption = "What stands in the racks";
  table.columns = {{"Racks", Align::right},    {"Contents"},
                   {"Units", Align::right},    {"Nameplate", Align::right},
                   {"Typical", Align::right},  {working_label(racks.activity), Align::right},
                   {"Weight", Align::right, 1}};
  for (const auto& g : racks.groups) {
    Cell nameplate = power_cell(g.nameplate_w);
    const auto limit = g.power_limit_w ? g.power_limit_w : racks.power_limit_w;
    if (limit && g.nameplate_w.value_or(0) > *limit * (1 + 1e-9)) {
      nameplate.tone = Tone::bad;
    }
    table.rows.push_back({count_cell(g.count), text_cell(contents_text(g)), count_cell(g.units_used),
                          nameplate, power_cell(g.typical_w), power_cell(g.expected_w),
                          rack_weight(racks, g)});
  }
  return table;
}

Table device_table(const SiteRacks& racks) {
  Table table;
  table.caption = "The devices, one of each";
  table.columns = {{"Device"},
                   {"Count", Align::right},
                   {"Units", Align::right},
                   {"Nameplate", Align::right},
                   {"Typical", Align::right},
                   {"Weight", Align::right},
                   {"Not in the catalogue", Align::left, 1}};
  for (const auto& d : racks.devices) {
    table.rows.push_back({text_cell(d.name), count_cell(d.count), count_cell(d.units),
                          power_cell(d.nameplate_w), power_cell(d.typical_w), weight_cell(d.weight_kg),
                          text_cell(d.unknown)});
  }
  return table;
}

/// Every position of every kind of rack, for those who cannot see the drawing.
Table position_table(const SiteRacks::Group& group) {
  Table table;
  table.caption = group_title(group) + ", from the top";
  table.columns = {{"Units"}, {"Count", Align::right}, {"Device"}, {"Mounted at"}};
  for (auto p = group.positions.rbegin(); p != group.positions.rend();) {
    const auto top = p->u + p->units - 1;
    std::int64_t count = 0, bottom = top + 1;
    const auto& first = *p;  // neighbours that are alike are one row
    for (; p != group.positions.rend() && p->name == first.name && p->rear() == first.rear() &&
           p->u + p->units == bottom;
         ++p, ++count)
      bottom = p->u;
    const std::string units = bottom == top ? fmt::format("U{}", top) : fmt::format("U{}–{}", bottom, top);
    table.rows.push_back({text_cell(units), count_cell(count), text_cell(first.name),
                          text_cell(first.rear() ? "rear" : "front")});
  }
  return table;
}

std::optional<Drawing> floor_plan(const SiteRacks& racks) {
  if (!racks.floor || !racks.count || *racks.count < 1) return std::nullopt;
  FloorDrawing floor{static_cast<int>(std::min<std::int64_t>(*racks.count, most_racks)),
                     static_cast<int>(racks.floor->racks_per_row),
                     racks.floor->rack_width_m,
                     racks.floor->rack_depth_m,
                     racks.floor->cold_aisle_m,
                     racks.floor->hot_aisle_m,
                     {},
                     {}};
  for (const std::int64_t kind : racks.group_of_rack) floor.kind_of.push_back(static_cast<std::size_t>(kind));
  for (const auto& g : racks.groups) floor.contents.push_back(contents_text(g));
  const auto [width, depth] = floor_size(floor);
  const std::string size = fmt::format("{} by {}", to_text(Length{width}), to_text(Length{depth}));
  const bool continues = floor_columns(floor) > 1;
  std::string svg = floor_svg(floor);
  if (svg.empty()) return std::nullopt;
  return Drawing{fmt::format("Floor plan to scale, {}: {}{}", size, counted(*racks.count, "rack"),
                             continues ? ", rows go on in the next column" : ""),
                 fmt::format("{} in rows of up to {}, fronts at the cold aisles; {}",
                             counted(*racks.count, "rack"), floor.racks_per_row, size),
                 std::move(svg)};
}

}  // namespace

Blocks racks_section(const ResultDocument& document) {
  if (!document.site) return {};
  const SiteRacks& racks = document.site->racks;
  Blocks blocks;
  blocks.push_back({Paragraph{packing_text(*document.site)}});
  if (!racks.groups.empty())
    blocks.push_back({Note{Tone::caution, "Nameplate or typical power", fullest_rack_text(*document.site)}});
  if (!racks.groups.empty()) blocks.push_back({group_table(racks)});
  blocks.push_back({device_table(racks), Audience::document, true});
  for (std::size_t i = 0; i < std::min(racks.groups.size(), most_drawn); ++i) {
    blocks.push_back({drawing(racks, racks.groups[i]), Audience::document, true});
    blocks.push_back({position_table(racks.groups[i]), Audience::document, true});
  }
  if (auto plan = floor_plan(racks)) blocks.push_back({std::move(*plan), Audience::document});
  if (racks.area_m2) {
    blocks.push_back(
        {KeyValues{{{"Floor", sum_text(to_text(Area{*racks.area_m2}), !document.site->no_units.empty()),
                     "planned, with aisles and row ends"}}}});
  }
  return blocks;
}

}  // namespace rackcast::reports
