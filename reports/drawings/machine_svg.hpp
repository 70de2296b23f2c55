#pragma once
#include <map>
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

/// By the style of lines ("network", "storage-cable", "trunk", "core-trunk"): how full the fullest of these
/// cables is in a step, from 0 to 1.
using LineLoads = std::map<std::string, double, std::less<>>;

/// The loads of the lines of a drawing of a network: of all workloads, that which fills them most. Empty
/// where no workload says how full links are.
LineLoads line_loads(const std::vector<WorkloadResult>& workloads);

/// A drawing of the machine for a page; its colours are those of reports/html/report.css. Texts are escaped.
/// Lines with a load have its colour, which a legend below explains.
Drawing machine_drawing(const MachineDrawing& drawing, const LineLoads& loads = {});

}  // namespace rackcast::reports
