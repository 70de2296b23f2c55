#pragma once
/// A result document as a page of each kind.
#include <string>

#include "reports/pages/report.hpp"
#include "reports/writers/writers.hpp"

namespace rackcast::reports {

inline std::string render_text(const ResultDocument& document, const TextOptions& options = {}) {
  return write_text(build_report(document), options);
}
inline std::string render_markdown(const ResultDocument& document) {
  return write_markdown(build_report(document));
}
inline std::string render_html(const ResultDocument& document) {
  return write_html(build_report(document));
}

}  // namespace rackcast::reports
