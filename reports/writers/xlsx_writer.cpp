#include "reports/writers/xlsx_writer.hpp"

#include <fmt/format.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "reports/blocks/display_text.hpp"
#include "reports/writers/sheet.hpp"
#include "sim/base/error.hpp"

namespace rackcast::reports {
namespace {

constexpr double widest = 60, narrowest = 10;  ///< letters of a column
constexpr std::size_t longest_name = 31;       ///< of a sheet, set by the format

/// A name that a workbook accepts: at most 31 letters, none of []:*?/\ and no apostrophe at an end.
std::string sheet_name(const std::string& title) {
  std::string name;
  for (const char letter : title) {
    const bool plain = static_cast<unsigned char>(letter) < 0x80;
    name += plain && std::string_view("[]:*?/\\'").find(letter) == std::string_view::npos ? letter : ' ';
  }
  name.resize(std::min(name.size(), longest_name));
  return name.empty() ? "Sheet" : name;
}

/// "A", "Z", "AA".
std::string column_letters(std::size_t index) {
  std::string letters;
  for (std::size_t left = index + 1; left > 0; left = (left - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (left - 1) % 26));
  }
  return letters;
}

class Workbook {
 public:
  explicit Workbook(const std::string& path) : path_(path), book_(workbook_new(path.c_str())) {
    if (book_ == nullptr) {
      throw Error{"cannot make a workbook", Where{.file = path}, {}, ErrorKind::internal};
    }
    lxw_doc_properties properties{};
    properties.created = 946684800;  // always the same, so that the same report is the same file
    workbook_set_properties(book_, &properties);
    bold_ = workbook_add_format(book_);
    format_set_bold(bold_);
    head_ = workbook_add_format(book_);
    format_set_bold(head_);
    format_set_bottom(head_, LXW_BORDER_THIN);
    format_set_text_wrap(head_);
    number_ = workbook_add_format(book_);
    format_set_num_format(number_, "#,##0.###");
    text_ = workbook_add_format(book_);
    format_set_indent(text_, 1);  // off the digits of the column before
    total_ = workbook_add_format(book_);
    format_set_bold(total_);
    format_set_top(total_, LXW_BORDER_THIN);
    format_set_num_format(total_, "#,##0.###");
  }

  void add(const Sheet& sheet) {
    Page& page = pages_[sheet.section];
    if (page.sheet == nullptr) {
      page.name = unused_name(sheet.section_title);
      page.sheet = workbook_add_worksheet(book_, page.name.c_str());
      set_up_printing(page.sheet);
    }
    if (page.sheet == nullptr) {
      throw Error{"cannot add a sheet to the workbook", Where{.file = path_}, {}, ErrorKind::internal};
    }
    if (!sheet.caption.empty()) {
      worksheet_write_string(page.sheet, page.row++, 0, sheet.caption.c_str(), bold_);
    }
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
      worksheet_write_string(page.sheet, page.row, column(i), sheet.columns[i].title.c_str(), head_);
    }
    page.heads.push_back({page.row, {}});
    for (const auto& one : sheet.columns) page.heads.back().letters.push_back(display_width(one.title));
    ++page.row;
    const lxw_row_t first = page.row;
    for (const auto& row : sheet.rows) {
      write_row(page, sheet, row);
    }
    for (const auto& formula : sheet.formulas) {
      write_formula(page, sheet, first, formula);
    }
    for (const auto& name : sheet.names) {
      define(name.text, sheet, name.column, first + static_cast<lxw_row_t>(name.row));
    }
    write_totals(page, sheet, first);
    ++page.row;
    widen(page, sheet);
  }

  void close() {
    for (const auto& [section, page] : pages_) {
      set_heights(page);
      // The heads of several tables below each other cannot all stay: then the names of the rows do.
      worksheet_freeze_panes(page.sheet, page.heads.size() == 1 ? page.heads.front().row + 1 : 0, 1);
    }
    const lxw_error error = workbook_close(book_);
    book_ = nullptr;
    if (error != LXW_NO_ERROR) {
      throw Error{
          fmt::format("cannot write the workbook: {}", lxw_strerror(error)), Where{.file = path_}, {}};
    }
  }

 private:
  struct Page {
    std::string name;
    lxw_worksheet* sheet = nullptr;
    lxw_row_t row = 0;
    std::vector<double> widths;
    /// A row of titles, which are broken to fit.
    struct Head {
      lxw_row_t row = 0;
      std::vector<int> letters;
    };
    std::vector<Head> heads;
  };

  /// Cut to their length, titles may be the same; a number tells them apart.
  [[nodiscard]] std::string unused_name(const std::string& title) const {
    const auto used = [this](const std::string& name) {
      return std::ranges::any_of(pages_, [&](const auto& page) { return page.second.name == name; });
    };
    std::string name = sheet_name(title);
    for (int number = 2; used(name); ++number) {
      const std::string ending = fmt::format(" {}", number);
      name = sheet_name(title).substr(0, longest_name - ending.size()) + ending;
    }
    return name;
  }

  /// Printed, a sheet is as wide as its page.
  static void set_up_printing(lxw_worksheet* sheet) {
    if (sheet == nullptr) return;
    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, 9);  // A4
    worksheet_fit_to_pages(sheet, 1, 0);
    worksheet_set_footer(sheet, "&L&A&RPage &P of &N");
  }

  static lxw_col_t column(std::size_t index) { return static_cast<lxw_col_t>(index); }

  void write_row(Page& page, const Sheet& sheet, const std::vector<Sheet::Value>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* number = std::get_if<double>(&row[i]);
      const auto* text = std::get_if<std::string>(&row[i]);
      if (number != nullptr && !sheet.columns[i].formula.empty()) {
        const std::string formula = "=" + in_row(sheet.columns[i].formula, page.row);
        worksheet_write_formula_num(page.sheet, page.row, column(i), formula.c_str(), number_, *number);
      } else if (!sheet.columns[i]
                      .formula.empty()) {  // nothing yet: it may come with what the reader fills in
        const std::string formula = "=" + in_row(sheet.columns[i].formula, page.row);
        worksheet_write_formula_str(page.sheet, page.row, column(i), formula.c_str(), number_,
                                    text == nullptr ? "" : text->c_str());
      } else if (number != nullptr) {
        worksheet_write_number(page.sheet, page.row, column(i), *number, number_);
      } else if (text != nullptr) {
        worksheet_write_string(page.sheet, page.row, column(i), text->c_str(), i == 0 ? nullptr : text_);
      }
    }
    ++page.row;
  }

  /// Over a cell that write_row has written.
  void write_formula(Page& page, const Sheet& sheet, lxw_row_t first, const Sheet::Formula& formula) {
    const auto* number = std::get_if<double>(&sheet.rows[formula.row][formula.column]);
    if (number == nullptr) {
      return;
    }
    const lxw_row_t row = first + static_cast<lxw_row_t>(formula.row);
    const std::string letters = column_letters(formula.column);
    std::string text = "=" + formula.text;
    constexpr std::string_view above = "{above}";
    if (const std::size_t at = text.find(above); at != std::string::npos) {
      text.replace(at, above.size(), fmt::format("{0}{1}:{0}{2}", letters, first + 1, row));
    }
    worksheet_write_formula_num(page.sheet, row, column(formula.column), text.c_str(), number_, *number);
  }

  void define(const std::string& name, const Sheet& sheet, std::size_t index, lxw_row_t row) {
    const std::string cell =
        fmt::format("='{}'!${}${}", pages_.at(sheet.section).name, column_letters(index), row + 1);
    workbook_define_name(book_, name.c_str(), cell.c_str());
  }

  void write_totals(Page& page, const Sheet& sheet, lxw_row_t first) {
    if (std::ranges::none_of(sheet.columns, &Sheet::Column::total)) {
      return;
    }
    worksheet_write_string(page.sheet, page.row, 0, "Total", total_);
    for (std::size_t i = 1; i < sheet.columns.size(); ++i) {
      if (!sheet.columns[i].total) {
        continue;
      }
      double sum = 0;
      for (const auto& row : sheet.rows) {
        const auto* number = std::get_if<double>(&row[i]);
        sum += number == nullptr ? 0 : *number;
      }
      const std::string letters = column_letters(i);
      const std::string formula = fmt::format("=SUM({0}{1}:{0}{2})", letters, first + 1, page.row);
      worksheet_write_formula_num(page.sheet, page.row, column(i), formula.c_str(), total_, sum);
      if (const std::string& name = sheet.columns[i].total_name; !name.empty()) {
        define(name, sheet, i, page.row);
      }
    }
    ++page.row;
  }

  /// "{1} * {2}" as "B7 * C7".
  static std::string in_row(std::string formula, lxw_row_t row) {
    for (std::size_t open = formula.find('{'); open != std::string::npos; open = formula.find('{')) {
      const std::size_t close = formula.find('}', open);
      const std::size_t index = std::stoul(formula.substr(open + 1, close - open - 1));
      formula.replace(open, close - open + 1, column_letters(index) + std::to_string(row + 1));
    }
    return formula;
  }

  static void widen(Page& page, const Sheet& sheet) {
    page.widths.resize(std::max(page.widths.size(), sheet.columns.size()), narrowest);
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
      for (const auto& row : sheet.rows) {
        const auto* text = std::get_if<std::string>(&row[i]);
        const auto* number = std::get_if<double>(&row[i]);
        const double letters = text != nullptr     ? display_width(*text) + 2
                               : number != nullptr ? number_width(*number)
                                                   : narrowest;
        page.widths[i] = std::clamp(letters, page.widths[i], widest);
      }
      worksheet_set_column(page.sheet, column(i), column(i), page.widths[i], nullptr);
    }
  }

  /// Letters of "#,##0.###", a sum below it included.
  static double number_width(double value) {
    const double digits = std::floor(std::log10(std::max(1.0, std::abs(value)))) + 1;
    return std::max(14.0, std::ceil(digits * 4 / 3) + 6);
  }

  static void set_heights(const Page& page) {
    constexpr double line = 15;  // points
    for (const auto& head : page.heads) {
      double lines = 1;
      for (std::size_t i = 0; i < head.letters.size(); ++i)
        lines = std::max(lines, std::ceil(1.3 * head.letters[i] / page.widths[i]));
      if (lines > 1) worksheet_set_row(page.sheet, head.row, lines * line, nullptr);
    }
  }

  std::string path_;
  lxw_workbook* book_;
  lxw_format *bold_ = nullptr, *head_ = nullptr, *number_ = nullptr, *text_ = nullptr, *total_ = nullptr;
  std::map<std::string, Page> pages_;
};

}  // namespace

void write_xlsx(const Report& report, const std::string& path) {
  Workbook book(path);
  for (const Sheet& sheet : sheets(report)) {
    book.add(sheet);
  }
  book.close();
}

}  // namespace rackcast::reports
