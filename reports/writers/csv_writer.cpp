#include "reports/writers/csv_writer.hpp"

#include <fmt/format.h>

#include <map>

#include "reports/writers/sheet.hpp"

namespace rackcast::reports {
namespace {

std::string quoted(std::string text) {
  constexpr std::string_view openers = "=+-@";
  if (!text.empty() && openers.find(text.front()) != std::string_view::npos) {
    text.insert(0, 1, '\'');
  }
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    return text;
  }
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) {
    text.insert(at, 1, '"');
  }
  return '"' + text + '"';
}

std::string field(const Sheet::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("{}", *number);
  }
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string{} : quoted(*text);
}

std::string csv_text(const Sheet& sheet) {
  std::string out;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    out += (i == 0 ? "" : ",") + quoted(sheet.columns[i].title);
  }
  out += "\r\n";
  for (const auto& row : sheet.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i == 0 ? "" : ",") + field(row[i]);
    }
    out += "\r\n";
  }
  return out;
}

}  // namespace

std::vector<CsvFile> write_csv(const Report& report) {
  std::vector<CsvFile> files;
  std::map<std::string, int> of_section;
  for (const Sheet& sheet : sheets(report)) {
    const int number = ++of_section[sheet.section];
    files.push_back(
        {number == 1 ? sheet.section : fmt::format("{}-{}", sheet.section, number), csv_text(sheet)});
  }
  return files;
}

}  // namespace rackcast::reports
