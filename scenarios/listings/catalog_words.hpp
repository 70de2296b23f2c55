#pragma once
/// The words by which people ask for what rackcast knows.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

class Catalog;

/// What `catalog list` lists besides the kinds of the catalogue: "models", "frameworks", "fabrics", ...
struct SoftwareKind {
  std::string_view name, help;
};
std::vector<SoftwareKind> software_kinds();

/// The table document of one of them.
std::string list_software(std::string_view name);

/// The kind that a word means: itself, its singular, or a word for the same thing ("networks" are models,
/// "servers" nodes). Throws Error that suggests the nearest.
std::string kind_of_word(const Catalog& catalog, std::string_view word);

}  // namespace rackcast
