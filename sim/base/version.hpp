#pragma once
#include <string_view>

namespace rackcast {

/// The project's version, e.g. "0.1.0".
std::string_view version();

/// The abbreviated git commit this program was built from, with "+changes" behind it where the tree differed;
/// empty for a build outside git.
std::string_view commit();

}  // namespace rackcast
