#pragma once
/// Counts of things as text.
#include <string>

namespace rackcast {

/// "1 node", "7 nodes".
std::string count_of(double n, const char* what);

}  // namespace rackcast
