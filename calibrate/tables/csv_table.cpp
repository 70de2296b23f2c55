#include "calibrate/tables/csv_table.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/base/split.hpp"

namespace rackcast {

CsvTable::CsvTable(const DataFile& file, std::vector<std::string_view> columns)
    : path_{file.path}, columns_{std::move(columns)} {
  std::string_view rest = file.text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    std::vector<std::string_view> fields = split(text, ',');
    if (line == 1) {
      std::string expected;
      for (const auto c : columns_) expected += (expected.empty() ? "" : ",") + std::string{c};
      if (fields != columns_)
        throw Error{"unexpected header", Where{path_, 1, 1, {}, std::string{text}}, "expected: " + expected};
      continue;
    }
    rows_.push_back({line, text, std::move(fields)});
    if (rows_.back().fields.size() != columns_.size())
      fail(rows_.size() - 1, "the row has " + std::to_string(rows_.back().fields.size()) +
                                 " fields, the header has " + std::to_string(columns_.size()));
  }
}

std::size_t CsvTable::column_index(std::string_view column) const {
  const auto at = std::find(columns_.begin(), columns_.end(), column);
  assert(at != columns_.end());
  return static_cast<std::size_t>(at - columns_.begin());
}

std::string_view CsvTable::text(std::size_t row, std::string_view column) const {
  return rows_[row].fields[column_index(column)];
}

double CsvTable::number(std::size_t row, std::string_view column, double low) const {
  const std::string_view field = text(row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
    fail(row, "\"" + std::string{field} + "\" in column " + std::string{column} + " is not a number");
  if (value < low) fail(row, "column " + std::string{column} + " is too small: " + std::string{field});
  return value;
}

void CsvTable::fail(std::size_t row, const std::string& message, const std::string& hint) const {
  throw Error{message, Where{path_, rows_[row].line, 1, {}, std::string{rows_[row].source}}, hint};
}

}  // namespace rackcast
