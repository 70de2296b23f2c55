#pragma once
/// Comma-separated tables with a header line, read strictly: every row has as many fields as the header,
/// numbers are whole fields, and every complaint names file and line. Fields are not quoted.
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/tables/data_files.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

class CsvTable {
 public:
  /// Throws Error unless the header is exactly `columns`, or on a row of another length.
  CsvTable(const DataFile& file, std::vector<std::string_view> columns);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] int line(std::size_t row) const { return rows_[row].line; }
  [[nodiscard]] std::string_view text(std::size_t row, std::string_view column) const;
  /// A finite number of at least `low`; Error otherwise.
  [[nodiscard]] double number(std::size_t row, std::string_view column, double low) const;
  /// Throws Error pointing at this row.
  [[noreturn]] void fail(std::size_t row, const std::string& message, const std::string& hint = {}) const;

 private:
  struct Row {
    int line;
    std::string_view source;
    std::vector<std::string_view> fields;
  };
  [[nodiscard]] std::size_t column_index(std::string_view column) const;

  std::string path_;
  std::vector<std::string_view> columns_;
  std::vector<Row> rows_;  ///< views into the DataFile's text, which must outlive the table
};

}  // namespace rackcast
