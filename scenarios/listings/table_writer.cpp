#include "scenarios/listings/table_writer.hpp"

#include <nlohmann/json.hpp>

namespace rackcast {

std::string table_document(const std::string& title, const std::string& subtitle,
                           const std::vector<TextTable>& tables) {
  using Document = nlohmann::ordered_json;
  Document out = {{"format", "rackcast-table"}, {"version", 1}, {"title", title}, {"subtitle", subtitle}};
  out["tables"] = Document::array();
  for (const TextTable& table : tables) {
    Document columns = Document::array();
    for (const TextTable::Column& column : table.columns)
      columns.push_back({{"title", column.title}, {"align", column.right ? "right" : "left"}});
    out["tables"].push_back({{"caption", table.caption}, {"columns", columns}, {"rows", table.rows}});
  }
  return out.dump(1) + "\n";
}

}  // namespace rackcast
