#pragma once
/// Reports as files: the ending of a name chooses the format.
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"

namespace rackcast {

/// "-o": what the help of every command says about it.
inline constexpr const char* kOutputHelp =
    "Write a report; .html, .pdf, .md, .txt, .csv, .xlsx or .json (repeatable)";

/// What an .html report is or has beyond the report itself.
struct HtmlExtras {
  std::string page = {};     ///< the whole file, instead; empty: the report
  std::string planner = {};  ///< where the planner's page is (commands/planner_link.hpp); empty: not said
};

/// Throws Error (usage) if the ending of one of the names is no known format.
void check_endings(const std::vector<std::string>& paths);

/// With its parents; no harm where it is there. Throws Error.
void make_folder(const std::string& path);

/// Writes the report to each path, `json` where the ending asks for the document itself. All formats are made
/// before the first file is written, so an error leaves nothing half done. Returns the names of the files
/// that were written: .csv makes one for each table, "x-performance.csv".
std::vector<std::string> write_report_files(const std::vector<std::string>& paths,
                                            const reports::Report& report, const std::string& json,
                                            const HtmlExtras& extras = {});

}  // namespace rackcast
