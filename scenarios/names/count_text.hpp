#pragma once
/// Counts of things as text: "7 nodes", "8 + 1 spare".
#include <string>

namespace rackcast {

/// "1 node", "7 nodes".
std::string count_of(double n, const char* what);

/// "8", or with spare nodes "8 + 1 spare".
std::string with_spares(int nodes, int spares);

}  // namespace rackcast
