#pragma once
/// From a parsed file to an entry; private to the catalogue.
#include <string>

#include "topologies/catalog/catalog.hpp"

namespace rackcast {

/// Flattens the facts of `json`. Throws Error at the first ill-formed member.
CatalogEntry make_catalog_entry(std::string kind, std::string id, std::string file, const Json& json);

/// Letters and digits in lower case, for comparing names as people write them.
std::string normalised(std::string_view name);

/// True if the lower-case `needle` occurs in `text`, whatever the case of `text`.
bool contains_ignoring_case(std::string_view text, std::string_view lower_needle);

}  // namespace rackcast
