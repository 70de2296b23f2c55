#pragma once
#include <string>

namespace rackcast {

/// The page as PDF, printed by a headless Chromium found on the search path. Throws Error, with what to do,
/// where there is none, or it fails or takes longer than a minute.
std::string print_pdf(const std::string& html);

}  // namespace rackcast
