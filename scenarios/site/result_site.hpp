#pragma once
/// The "site" of the result document. Private to scenarios/result.cpp.
#include <nlohmann/json_fwd.hpp>

namespace rackcast {

struct SiteReport;

nlohmann::ordered_json site_document(const SiteReport& site);

}  // namespace rackcast
