#pragma once
/// A report that answers further questions: the planner's page (commands/library/web) with a result in it.
#include <string>

namespace rackcast {

/// Throws Error (usage) where the page is not found, or is that of another version: to know it before the
/// work.
void check_planner_page();

/// The page, with the scenario of the result or campaign document and its report shown first. It lies beside
/// the program, in share/rackcast, or where `./dev web` builds it. Throws Error where it does not.
std::string planner_page(const std::string& document);

}  // namespace rackcast
