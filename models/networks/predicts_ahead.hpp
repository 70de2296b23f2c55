#pragma once
/// Networks whose published weights predict further tokens.
#include <string_view>

namespace rackcast {

/// Whether the published weights of the network have layers that predict further tokens (multi-token
/// prediction; DeepSeek-V3, arXiv 2412.19437, section 2.2), so that it can guess for itself. The shape leaves
/// these layers out. Not inherited from what a file extends. Throws Error for files that cannot be read.
bool predicts_ahead(std::string_view name_or_path);

}  // namespace rackcast
