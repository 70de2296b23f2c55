#pragma once
/// Where the planner's page is that a report links to.
#include <string>

namespace rackcast {

/// The address of the planner's page (commands/library/web) as a report at `report` shall have it. `given`:
/// what --planner said, the path of a file or an https address; empty: a rackcast.html beside the report, or
/// none ("") where there is no such file. A path becomes relative to the report, so that both can be moved
/// together. Throws Error (invalid input) for other addresses, and for a file that is no such page of this
/// version.
std::string planner_link(const std::string& given, const std::string& report);

}  // namespace rackcast
