#pragma once
/// The floor of a machine room to scale as SVG, coloured by the classes of reports/html/report.css.
#include <string>
#include <utility>
#include <vector>

namespace rackcast::reports {

/// Rows of racks; fronts face the cold aisles, backs the hot ones, which take turns between the rows.
struct FloorDrawing {
  int racks = 0, racks_per_row = 1;
  double rack_width = 0, rack_depth = 0, cold_aisle = 0, hot_aisle = 0;  ///< m
  std::vector<std::size_t> kind_of;   ///< of each rack, an index of `contents`
  std::vector<std::string> contents;  ///< of each kind
};

/// Width and depth in m of what is drawn: the racks and the aisles before and behind each row.
std::pair<double, double> floor_size(const FloorDrawing& floor);

/// Columns that the drawing takes: a room of many rows goes on beside itself, so that it fits a page.
int floor_columns(const FloorDrawing& floor);

/// Seen from above, with a scale; equal colours are equal contents. Empty without racks.
std::string floor_svg(const FloorDrawing& floor);

}  // namespace rackcast::reports
