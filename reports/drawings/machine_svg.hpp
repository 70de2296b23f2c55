#pragma once
#include <map>
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

/// Share of a step that the fullest link of a style of lines is busy: "network", "storage-cable", "trunk",
/// "core-trunk".
using LineLoads = std::map<std::string, double, std::less<>>;

/// The loads of the lines of a drawing of a network: of all workloads, that which fills them most. Empty
/// where no workload says how full links are.
LineLoads line_loads(const std::vector<WorkloadResult>& workloads);

/// A drawing of the machine for a page; its colours are those of reports/html/report.css. Texts are escaped.
/// Lines with a load have its colour, which a legend below explains.
Drawing machine_drawing(const MachineDrawing& drawing, const LineLoads& loads = {});

}  // namespace rackcast::reports
