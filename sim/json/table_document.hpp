#pragma once
/// Tables for people as data ("format": "rackcast-table"), which the reports lay out and `--json` prints:
///
///   {"format": "rackcast-table", "version": 1, "title": "...", "subtitle": "...",
///    "tables": [{"caption": "...",
///                "columns": [{"title": "...", "align": "left"}],
///                "rows": [["...", ...], ...]}]}
#include <string>
#include <vector>

namespace rackcast {

struct TableColumn {
  std::string title;
  bool right = false;  ///< numbers
};

struct TableDocument {
  struct Table {
    std::string caption;
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;
  };
  std::string title, subtitle;
  std::vector<Table> tables;

  [[nodiscard]] std::string json() const;
};

/// 1234567 as "1,234,567".
std::string grouped(double count);

}  // namespace rackcast
