#pragma once
/// Levels of a network as SVG, from the top switches down to nodes and storage; coloured by the classes of
/// reports/html/report.css. Many switches of a level become a few boxes, and all cables between two levels
/// one bar, so the drawing of 16,384 GPUs is as small as that of 16.
#include <cstdint>
#include <string>
#include <vector>

namespace rackcast::reports {

struct LevelDrawing {
  struct Group {
    std::string label;
    std::int64_t count = 1;
    int colour = 0;  ///< class s0 to s5
  };
  std::vector<std::vector<Group>> rows;  ///< from the top; groups of a row stand beside each other
  std::vector<std::string> joins;        ///< between a row and the next: "512 cables"; empty: not known
};

std::string level_svg(const LevelDrawing& drawing);

}  // namespace rackcast::reports
