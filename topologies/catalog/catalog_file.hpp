#pragma once
#include <string_view>

namespace rackcast {

/// Whether a name given to Catalog::find is that of a file and not of an entry: it ends in ".json". The file
/// is what `rackcast import` wrote, or one entry in the form of the catalogue.
bool is_catalog_file(std::string_view name);

}  // namespace rackcast
