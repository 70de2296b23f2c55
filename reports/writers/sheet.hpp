#pragma once
/// The tables of a report as rows for programs: numbers in base units with the unit in the head of the
/// column, the ends of an interval in columns of their own. CSV and XLSX are written from it.
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

struct Sheet {
  using Value = std::variant<std::monostate, std::string, double>;
  struct Column {
    std::string title;    ///< "Time to train, low (s)"
    std::string formula;  ///< over other columns of the row, each as {index}; empty: values
    bool total = false;
    std::string total_name = {};
  };
  /// Of one cell, over names and "{above}".
  struct Formula {
    std::size_t row = 0, column = 0;
    std::string text;
  };
  /// Of one cell, for formulas.
  struct Name {
    std::size_t row = 0, column = 0;
    std::string text;
  };
  std::string section;  ///< its id
  std::string section_title;
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  ///< each as long as `columns`
  std::vector<Formula> formulas;
  std::vector<Name> names;
};

/// Every table of the report in order: tables, the numbers behind charts, facts and parts of a whole.
/// Throws Error (internal) if a formula names a column that is not there.
std::vector<Sheet> sheets(const Report& report);

}  // namespace rackcast::reports
