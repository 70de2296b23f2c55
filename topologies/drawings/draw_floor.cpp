#include <fmt/format.h>

#include <algorithm>

#include "topologies/drawings/drawings.hpp"
#include "topologies/drawings/svg.hpp"

namespace rackcast {
namespace {

constexpr double floor_margin = 28, rack_width = 46, unit = 3, aisle = 46;
constexpr int racks_per_row = 24;

void draw_rack(Svg& svg, Point corner, const FloorPlan& floor, int servers) {
  const double height = floor.rack_units * unit;
  svg.rect(corner, rack_width, height, "rack");
  svg.rect({corner.x + 3, corner.y + 2}, rack_width - 6, 2 * unit - 1, "net");
  for (int i = 0; i < servers; ++i) {
    const double top = corner.y + height - (i + 1) * floor.node_units * unit;
    svg.rect({corner.x + 3, top}, rack_width - 6, floor.node_units * unit - 1, "server");
  }
}

}  // namespace

std::string draw_floor(const FloorPlan& floor, std::string_view title) {
  Svg svg;
  const int full = std::max(1, floor.nodes_per_rack);
  const int racks = (floor.nodes + full - 1) / full;
  const int all = racks + floor.network_racks;
  svg.text({floor_margin, 34}, title, "title", "start");
  svg.text({floor_margin, 54},
           fmt::format("{} racks with up to {} x {}, {} racks for spine and core switches; by height alone, "
                       "power and weight may "
                       "allow fewer",
                       racks, full, floor.node_name, floor.network_racks),
           "note", "start");
  const double height = floor.rack_units * unit;
  for (int i = 0; i < all; ++i) {
    const int row = i / racks_per_row;
    const Point corner{floor_margin + (i % racks_per_row) * (rack_width + 2), 76 + row * (height + aisle)};
    const bool network = i >= racks;
    if (network) {
      svg.rect(corner, rack_width, height, "rack");
      svg.rect({corner.x + 3, corner.y + 3}, rack_width - 6, height - 6, "net");
    } else {
      draw_rack(svg, corner, floor, std::min(full, floor.nodes - i * full));
    }
    svg.text({corner.x + rack_width / 2, corner.y + height + 14},
             network ? fmt::format("N{}", i - racks + 1) : fmt::format("{}", i + 1), "note");
  }
  return svg_document(svg.picture(), title);
}

}  // namespace rackcast
