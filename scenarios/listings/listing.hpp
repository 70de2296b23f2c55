#pragma once
/// Listings of what rackcast knows: hardware, networks, single entries, as table documents
/// (table_document.hpp).
#include <string>
#include <string_view>

namespace rackcast {

class Catalog;

/// The kinds, if `kind` is empty, else the entries of one: "gpus", "nodes", ..., or "models" (the networks).
std::string list_catalog(const Catalog& catalog, std::string_view kind);

/// One entry with every fact, its source and confidence; a network with its layers. `kind` may be empty if
/// the name says it all. Throws Error for unknown or ambiguous names.
std::string show_catalog(const Catalog& catalog, std::string_view kind, std::string_view name);

/// Entries with the text in a name, an alias, a fact or a source.
std::string search_catalog(const Catalog& catalog, std::string_view text);

}  // namespace rackcast
