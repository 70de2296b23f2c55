#pragma once
/// A report as a workbook: a sheet for each section, its tables below each other, formulas live.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Writes the workbook to the file `path`. Throws Error if it cannot be written.
void write_xlsx(const Report& report, const std::string& path);

}  // namespace rackcast::reports
