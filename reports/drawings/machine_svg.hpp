#pragma once
#include <string>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

/// A drawing of the machine for a page; its colours are those of reports/html/report.css. Texts are escaped.
Drawing machine_drawing(const MachineDrawing& drawing);

}  // namespace rackcast::reports
