#include "reports/pages/table_document.hpp"

#include <utility>

#include "reports/blocks/readable.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {

namespace {

Table read_table(const Json& json) {
  Table table;
  table.caption = json.require("caption").string();
  for (const Json& column : json.require("columns").array()) {
    const bool right = column.require("align").string() == "right";
    table.columns.push_back({column.require("title").string(), right ? Align::right : Align::left});
  }
  for (const Json& row : json.require("rows").array()) {
    std::vector<Cell> cells;
    for (const Json& cell : row.array()) cells.push_back({cell.string(), std::nullopt, {}, Tone::plain});
    if (cells.size() > table.columns.size()) row.fail("the row is longer than the table has columns");
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string render_tables(std::string_view json, const TextOptions& options) {
  const Json document = parse_json(std::string{json}, "table document");
  Report report;
  report.title = document.require("title").string();
  report.subtitle = document.require("subtitle").string();
  const auto& tables = document.require("tables").array();
  for (const Json& json_table : tables) {
    Table table = read_table(json_table);
    // One table says with its title what it is; of several each has its caption as a heading.
    Section section{"tables", tables.size() > 1 ? std::exchange(table.caption, {}) : "", {}};
    section.blocks.push_back({std::move(table), Audience::everyone});
    report.sections.push_back(std::move(section));
  }
  return write_text(readable(std::move(report)), options);
}

}  // namespace rackcast::reports
