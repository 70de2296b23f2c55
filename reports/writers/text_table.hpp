#pragma once
/// Layout of a table on a terminal, apart from how it is drawn.
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Chosen columns and their widths. Columns with the highest drop_order go first while the rest does not fit;
/// then the widest left-aligned column shrinks and its cells wrap.
struct TextTableLayout {
  std::vector<std::size_t> columns;  ///< indices into Table::columns
  std::vector<int> widths;           ///< one for each chosen column
  int gap = 2;                       ///< spaces between columns

  [[nodiscard]] int total() const;
};

TextTableLayout lay_out(const Table& table, int width);

/// Whether a column is too narrow for a word of its title.
bool breaks_words(const Table& table, const TextTableLayout& layout);

/// The lines of one row of cells, padded and aligned; trailing spaces cut.
std::vector<std::string> row_lines(const std::vector<std::string>& cells, const Table& table,
                                   const TextTableLayout& layout);

}  // namespace rackcast::reports
