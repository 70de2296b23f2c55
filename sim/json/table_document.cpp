#include "sim/json/table_document.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rackcast {

std::string TableDocument::json() const {
  using Document = nlohmann::ordered_json;
  Document out = {{"format", "rackcast-table"}, {"version", 1}, {"title", title}, {"subtitle", subtitle}};
  out["tables"] = Document::array();
  for (const Table& table : tables) {
    Document columns = Document::array();
    for (const TableColumn& column : table.columns) {
      columns.push_back({{"title", column.title}, {"align", column.right ? "right" : "left"}});
    }
    out["tables"].push_back({{"caption", table.caption}, {"columns", columns}, {"rows", table.rows}});
  }
  return out.dump(1) + "\n";
}

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits;
}

}  // namespace rackcast
