#pragma once
/// `rackcast validate --rows` as a page: every case with its own row.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// From the JSON of a validation ("format": "rackcast-validation"); `name` is the file in messages, `command`
/// what writes the page. One table for each source, one for statements in words, and a sentence for each row
/// that is far off or has no prediction. Throws Error, pointing at the place, if it is not such a document.
Report build_case_rows(const std::string& json_text, const std::string& name, const std::string& command);

}  // namespace rackcast::reports
