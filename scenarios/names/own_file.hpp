#pragma once
#include <string>

namespace rackcast {

class Json;

/// A name that rackcast knows, or a file of the user's own: relative to the file that names it, for --set and
/// --vary to the current folder.
std::string name_or_file(const Json& json);

}  // namespace rackcast
