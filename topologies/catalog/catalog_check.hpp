#pragma once
/// Holds documents of a user against the schemas of the catalogue before anything reads them.
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

class Catalog;

/// The schema of a kind: "gpus" have "gpu"; a kind without one of its own has "entry".
std::string_view schema_of_kind(std::string_view kind);

/// The kind whose schema the document meets; empty if it meets none, or more than one.
std::string_view kind_of_document(const Json& json);

/// The text of a schema of the catalogue ("gpu", "node", ...); empty if there is none of that name.
std::string_view catalog_schema(std::string_view name);
/// The names of the schemas of the catalogue.
std::vector<std::string> catalog_schema_names();

/// Throws Error with everything that is missing or wrong in a document that is to be the entry `id` of
/// `kind`.
void check_catalog_document(std::string_view kind, std::string_view id, const Json& json);

/// Reads an entry as the program will use it: names of other entries, units and wirings. Throws Error.
void read_catalog_entry(const Catalog& catalog, std::string_view kind, const std::string& id);

}  // namespace rackcast
