#include "reports/blocks/html_text.hpp"

#include <algorithm>

#include "reports/blocks/display_text.hpp"

namespace rackcast::reports {

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char letter : single_line(text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string html_escape_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += html_escape(text.substr(0, end));
    if (end < text.size()) {
      out += '\n';
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string json_in_html(std::string_view json) {
  std::string out;
  for (const char letter : json) {
    if (letter == '<') {
      out += "\\u003c";  // in JSON "<" stands in strings only
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace rackcast::reports
