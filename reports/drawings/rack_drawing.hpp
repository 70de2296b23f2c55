#pragma once
/// A rack from the front and from the rear as SVG, coloured by the classes of reports/html/report.css.
#include <string>
#include <vector>

namespace rackcast::reports {

struct RackDrawing {
  struct Device {
    int u = 1, units = 1;  ///< the lowest unit, counted from 1 at the bottom
    std::string label;
    int colour = 0;     ///< of the page's series
    bool rear = false;  ///< mounted there; it shows through at the front
  };
  std::string title;
  int units = 0;
  std::vector<Device> devices;
};

/// Both views beside each other, units numbered from the bottom, and what stands where in words to the right.
/// What is mounted at the other side shows through. Empty for a rack without units or of more than 60.
std::string rack_svg(const RackDrawing& rack);

}  // namespace rackcast::reports
