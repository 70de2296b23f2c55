#include "reports/writers/text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "reports/blocks/display_text.hpp"

namespace rackcast::reports {
namespace {

constexpr int narrowest_column = 12;
constexpr int narrowest_right = 24;   ///< numbers with intervals are not broken; a sentence among them is
constexpr int narrowest_number = 16;  ///< where nothing else helps

int natural_width(const Table& table, std::size_t column) {
  int widest = display_width(single_line(table.columns[column].title));
  for (const auto& row : table.rows) {
    widest = std::max(widest, display_width(single_line(row[column].text)));
  }
  return std::max(widest, 1);
}

/// Position in layout.columns of the column to drop next, or the end.
std::size_t droppable(const Table& table, const TextTableLayout& layout) {
  std::size_t best = layout.columns.size();
  int order = 0;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const int candidate = table.columns[layout.columns[i]].drop_order;
    if (candidate > order) {
      order = candidate;
      best = i;
    }
  }
  return best;
}

void shrink(const Table& table, TextTableLayout& layout, int width, int right) {
  while (layout.total() > width) {
    std::size_t widest = layout.columns.size();
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const bool shrinkable =
          layout.widths[i] >
          (table.columns[layout.columns[i]].align == Align::left ? narrowest_column : right);
      if (shrinkable && (widest == layout.columns.size() || layout.widths[i] > layout.widths[widest])) {
        widest = i;
      }
    }
    if (widest == layout.columns.size()) {
      return;  // nothing left to give; the lines run over
    }
    --layout.widths[widest];
  }
}

}  // namespace

int TextTableLayout::total() const {
  const int between = columns.empty() ? 0 : gap * (static_cast<int>(columns.size()) - 1);
  return std::accumulate(widths.begin(), widths.end(), between);
}

TextTableLayout lay_out(const Table& table, int width) {
  TextTableLayout layout;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    layout.columns.push_back(column);
    layout.widths.push_back(natural_width(table, column));
  }
  while (layout.total() > width) {
    const std::size_t victim = droppable(table, layout);
    if (victim == layout.columns.size()) {
      break;
    }
    layout.columns.erase(layout.columns.begin() + static_cast<std::ptrdiff_t>(victim));
    layout.widths.erase(layout.widths.begin() + static_cast<std::ptrdiff_t>(victim));
  }
  shrink(table, layout, width, narrowest_right);
  shrink(table, layout, width, narrowest_number);
  return layout;
}

bool breaks_words(const Table& table, const TextTableLayout& layout) {
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    std::string_view title = table.columns[layout.columns[i]].title;
    while (!title.empty()) {
      const std::size_t end = std::min(title.find_first_of(" -"), title.size());
      if (display_width(title.substr(0, end)) > layout.widths[i]) return true;
      title.remove_prefix(std::min(end + 1, title.size()));
    }
  }
  return false;
}

std::vector<std::string> row_lines(const std::vector<std::string>& cells, const Table& table,
                                   const TextTableLayout& layout) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t height = 1;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    wrapped.push_back(wrap(single_line(cells[layout.columns[i]]), layout.widths[i]));
    height = std::max(height, wrapped.back().size());
  }
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      const std::string text = row < wrapped[i].size() ? wrapped[i][row] : "";
      const bool right = table.columns[layout.columns[i]].align == Align::right && wrapped[i].size() == 1;
      line += i == 0 ? "" : repeat(" ", layout.gap);
      line += right ? pad_left(text, layout.widths[i]) : pad_right(text, layout.widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace rackcast::reports
