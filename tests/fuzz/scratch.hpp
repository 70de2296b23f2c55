#pragma once
/// Files for readers that take a path, and what all targets share.
#include <string>

#include "topologies/catalog/catalog.hpp"

namespace rackcast::fuzz {

/// The shipped catalogue, read once.
const Catalog& builtin_catalog();

/// A path of that name in a folder of this process, which goes away at its end.
std::string scratch_file(const std::string& name);
void write_scratch(const std::string& path, const std::string& bytes);
/// With what SQLite may have left beside it.
void remove_scratch(const std::string& path);

}  // namespace rackcast::fuzz
