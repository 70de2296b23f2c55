#pragma once
/// The "site" of the result document. Private to scenarios/result/result.cpp.
#include "scenarios/document/site.hpp"

namespace rackcast {

struct SiteReport;

doc::Site site_document(const SiteReport& site);

}  // namespace rackcast
