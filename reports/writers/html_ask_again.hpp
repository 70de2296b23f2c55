#pragma once
/// The question of a page, to be asked again. Links and data alone: it needs no script.
#include <string>
#include <string_view>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// What follows "#" in an address of the planner's page, so that it opens with the scenario:
/// "scenario=<base64url of its UTF-8>&question=size&file=fleet.json". The file's name is percent-encoded.
std::string planner_fragment(const AskAgain& again);

/// A button that unfolds the ways to ask again. `planner`: address of the planner's page as the link shall
/// have it; empty: not known, and there is no link.
std::string html_ask_again(const AskAgain& again, std::string_view planner);

}  // namespace rackcast::reports
