#pragma once
/// Tables as CSV (RFC 4180, UTF-8, one table a file), for spreadsheets and programs.
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

struct CsvFile {
  std::string name;  ///< "performance", "performance-2": the section, numbered if it has several tables
  std::string text;
};

/// One file for each table. Text that a spreadsheet would run as a formula gets an apostrophe in front.
std::vector<CsvFile> write_csv(const Report& report);

}  // namespace rackcast::reports
