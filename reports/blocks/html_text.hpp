#pragma once
/// Text made safe inside HTML and SVG, as content and in quoted attributes.
#include <string>
#include <string_view>

namespace rackcast::reports {

/// & < > " ' as entities, control characters and broken UTF-8 as U+FFFD, line ends as spaces.
std::string html_escape(std::string_view text);

/// As html_escape, but the line ends stay (for <pre>).
std::string html_escape_lines(std::string_view text);

/// JSON inside a <script> that holds data: no "<" that could end it.
std::string json_in_html(std::string_view json);

}  // namespace rackcast::reports
