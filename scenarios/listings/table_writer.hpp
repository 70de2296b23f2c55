#pragma once
/// Builds documents of the form in listing.hpp.
#include <string>
#include <vector>

namespace rackcast {

struct TextTable {
  struct Column {
    std::string title;
    bool right = false;
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string table_document(const std::string& title, const std::string& subtitle,
                           const std::vector<TextTable>& tables);

}  // namespace rackcast
