#pragma once
/// Writers: a report as text for a terminal, as Markdown and as HTML. A writer knows blocks only, so any
/// table of the program can use it. Pure functions: same report and options, same bytes.
#include <string>
#include <string_view>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

struct PageScripts;  // page_scripts.hpp

struct TextOptions {
  int width = 80;       ///< columns; taken between 40 and 120
  bool colour = false;  ///< ANSI escapes; only for a terminal
  bool ascii = false;   ///< frames and bars without block characters (names keep their letters)
};

std::string write_text(const Report& report, const TextOptions& options = {});
std::string write_markdown(const Report& report);
/// One self-contained file: style, drawings and scripts inside, no request to anywhere.
std::string write_html(const Report& report);
/// The same; `planner`: address of the planner's page, as links to it shall have it. Empty: not known.
std::string write_html(const Report& report, std::string_view planner);
/// The same to be printed: nothing is folded.
std::string write_printable_html(const Report& report);
std::string write_html(const Report& report, const PageScripts& scripts);  ///< with other scripts, for tests

}  // namespace rackcast::reports
