#pragma once
/// The scripts that a page carries. They are fixed when rackcast is built, so the page's content security
/// policy names them by hash: nothing else runs, whatever a name in a scenario contains.
#include <string_view>

namespace rackcast::reports {

struct PageScript {
  std::string_view text;
  std::string_view hash;  ///< "sha256-..." of the text
};

struct PageScripts {
  PageScript chart_library;        ///< Vega, Vega-Lite and Vega-Embed; empty where the build had none
  PageScript page;                 ///< reports/html/page.js: draws the charts, answers the what-if
  std::string_view why_no_charts;  ///< where the library is missing, in words
};

/// Those of this build.
PageScripts built_in_scripts();

}  // namespace rackcast::reports
