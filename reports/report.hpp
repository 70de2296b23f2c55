#pragma once
/// From a result document to a page. Pure functions: same document and options, same bytes.
#include <span>
#include <string>
#include <string_view>

#include "reports/block.hpp"
#include "reports/result.hpp"

namespace rackcast::reports {

struct PageScripts;  // reports/page_scripts.hpp

/// One section: what it is called and the function that fills it. No blocks: the section is left out.
struct SectionKind {
  std::string_view id;
  std::string_view title;
  Blocks (*render)(const ResultDocument&);
};

/// All sections in the order of the page (reports/sections.cpp). A new section is one function and one line.
std::span<const SectionKind> section_kinds();

Report build_report(const ResultDocument& document);

struct TextOptions {
  int width = 80;       ///< columns; taken between 40 and 120
  bool colour = false;  ///< ANSI escapes; only for a terminal
  bool ascii = false;   ///< frames and bars without block characters (names keep their letters)
};

// The writers know blocks only, so any table of the program can use them.
std::string write_text(const Report& report, const TextOptions& options = {});
std::string write_markdown(const Report& report);
/// One self-contained file: style, drawings and scripts inside, no request to anywhere.
std::string write_html(const Report& report);
std::string write_html(const Report& report, const PageScripts& scripts);  ///< with other scripts, for tests

/// The decision first, short enough to read on one screen or two; evidence is left to the documents.
std::string render_text(const ResultDocument& document, const TextOptions& options = {});
std::string render_markdown(const ResultDocument& document);
std::string render_html(const ResultDocument& document);

}  // namespace rackcast::reports
