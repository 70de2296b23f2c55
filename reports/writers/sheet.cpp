#include "reports/writers/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "reports/blocks/display_text.hpp"
#include "sim/base/error.hpp"

namespace rackcast::reports {
namespace {

Sheet::Value text_or_nothing(const std::string& text) {
  return text.empty() ? Sheet::Value{} : Sheet::Value{single_line(text)};
}

Sheet::Value number_or_nothing(const std::optional<double>& number) {
  return number ? Sheet::Value{*number} : Sheet::Value{};
}

/// What of a table's column goes into columns of its own.
struct ColumnShape {
  bool numbers = false, interval = false, units_differ = false;
  std::string unit;
  double largest = 0;
};

ColumnShape shape_of(const Table& table, std::size_t column) {
  ColumnShape shape;
  for (const auto& row : table.rows) {
    const Cell& cell = row[column];
    if (!cell.value) {
      continue;
    }
    const std::string unit = cell.unit == "1" ? "" : cell.unit;
    shape.units_differ = shape.units_differ || (shape.numbers && unit != shape.unit);
    shape.unit = unit;
    shape.numbers = true;
    shape.largest = std::max(shape.largest, std::abs(*cell.value));
    shape.interval = shape.interval || (cell.low && cell.high && *cell.low < *cell.high);
  }
  return shape;
}

class SheetMaker {
 public:
  explicit SheetMaker(const Table& table) : table_(table) {
    sheet_.caption = table.caption;
    sheet_.rows.resize(table.rows.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      starts_.push_back(sheet_.columns.size());
      add_column(i);
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      sheet_.columns[starts_[i]].formula = with_indices(table.columns[i].formula);
      sheet_.columns[starts_[i]].total = table.columns[i].total;
      sheet_.columns[starts_[i]].total_name = table.columns[i].total_name;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (const std::string& formula = table.rows[row][i].formula; !formula.empty()) {
          sheet_.formulas.push_back({row, starts_[i], formula});
        }
        if (const std::string& name = table.rows[row][i].name; !name.empty()) {
          sheet_.names.push_back({row, starts_[i], name});
        }
      }
    }
  }

  Sheet take() { return std::move(sheet_); }

 private:
  void add_column(std::size_t index) {
    const ColumnShape shape = shape_of(table_, index);
    const std::string& title = table_.columns[index].title;
    const std::string unit =
        shape.unit.empty() || shape.units_differ || shape.unit == title ? "" : " (" + shape.unit + ")";
    add(title + unit, index,
        [](const Cell& c) { return c.value ? Sheet::Value{*c.value} : text_or_nothing(c.text); });
    if (constexpr double hour = 3600, day = 86400;
        shape.unit == "s" && !shape.units_differ && shape.largest >= hour) {
      for (const auto& [name, seconds] : {std::pair{" (hours)", hour}, std::pair{" (days)", day}})
        add(title + name, index, [seconds = seconds](const Cell& c) {
          return c.value ? Sheet::Value{*c.value / seconds} : Sheet::Value{};
        });
    }
    if (shape.interval) {
      add(title + ", low" + unit, index, [](const Cell& c) { return number_or_nothing(c.low); });
      add(title + ", high" + unit, index, [](const Cell& c) { return number_or_nothing(c.high); });
    }
    if (shape.units_differ) {
      add(title + ", unit", index,
          [](const Cell& c) { return text_or_nothing(c.unit == "1" ? "" : c.unit); });
    }
  }

  template <class Read>
  void add(std::string title, std::size_t index, Read read) {
    sheet_.columns.push_back({single_line(title), {}, false, {}});
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      sheet_.rows[row].push_back(read(table_.rows[row][index]));
    }
  }

  /// "[Quantity] * [Price]" as "{1} * {2}".
  [[nodiscard]] std::string with_indices(std::string formula) const {
    for (std::size_t open = formula.find('['); open != std::string::npos; open = formula.find('[')) {
      const std::size_t close = formula.find(']', open);
      const std::string title = formula.substr(open + 1, close - open - 1);
      const auto found = std::ranges::find(table_.columns, title, &Column::title);
      if (close == std::string::npos || found == table_.columns.end()) {
        throw Error{
            "a formula names the column \"" + title + "\", which is not there", {}, {}, ErrorKind::internal};
      }
      const auto index = static_cast<std::size_t>(found - table_.columns.begin());
      formula.replace(open, close - open + 1, fmt::format("{{{}}}", starts_[index]));
    }
    return formula;
  }

  const Table& table_;
  Sheet sheet_;
  std::vector<std::size_t> starts_;  ///< of each column of the table among those of the sheet
};

Table fact_table(const std::string& caption, const std::vector<Fact>& facts) {
  Table table{caption, {{"What"}, {"Value"}, {"Detail"}}, {}};
  for (const Fact& fact : facts) {
    table.rows.push_back({{.text = fact.label, .value = {}, .unit = {}},
                          {.text = fact.value, .value = {}, .unit = {}},
                          {.text = fact.detail, .value = {}, .unit = {}}});
  }
  return table;
}

std::optional<Table> as_table(const Table& table) {
  return table;
}
std::optional<Table> as_table(const Chart& chart) {
  return chart.data;
}
std::optional<Table> as_table(const BarChart& chart) {
  return chart.data;
}
std::optional<Table> as_table(const KeyValues& pairs) {
  return fact_table("", pairs.rows);
}
std::optional<Table> as_table(const Headline& headline) {
  Table table = fact_table(headline.title, headline.facts);
  table.rows.insert(table.rows.begin(), {{.text = headline.kicker, .value = {}, .unit = {}},
                                         {.text = headline.title, .value = {}, .unit = {}},
                                         {.text = headline.lead, .value = {}, .unit = {}}});
  if (!headline.verdict.empty())
    table.rows.insert(table.rows.begin() + 1, {{.text = "Verdict", .value = {}, .unit = {}},
                                               {.text = headline.verdict, .value = {}, .unit = {}},
                                               {}});
  return table;
}
std::optional<Table> as_table(const StackedBar& bar) {
  Table table{bar.caption, {{"Part"}, {"Value"}, {"In words"}}, {}};
  for (const auto& part : bar.parts) {
    table.rows.push_back({{.text = part.label, .value = {}, .unit = {}},
                          {.text = part.text, .value = part.value, .unit = {}},
                          {.text = part.text, .value = {}, .unit = {}}});
  }
  return table;
}
template <class Other>
std::optional<Table> as_table(const Other&) {
  return std::nullopt;
}

}  // namespace

std::vector<Sheet> sheets(const Report& report) {
  std::vector<Sheet> all;
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      if (block.audience == Audience::terminal) {
        continue;
      }
      const auto table = std::visit([](const auto& body) { return as_table(body); }, block.body);
      if (!table || table->rows.empty()) {
        continue;
      }
      Sheet sheet = SheetMaker(*table).take();
      sheet.section = section.id;
      sheet.section_title = section.title;
      all.push_back(std::move(sheet));
    }
  }
  return all;
}

}  // namespace rackcast::reports
