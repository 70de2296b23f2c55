#pragma once
/// Corrections of published cases: a misprint, a GPU read from a log, a setting that another page of the same
/// source states. Case files stay as they were collected; what was corrected stands beside them, with the
/// reason and where the correction was read.
#include <string>
#include <vector>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// The file of a folder of cases that holds amendments and no cases.
inline constexpr std::string_view amendments_file = "amendments.json";

/// Lays the amendments of a text over the cases with their ids. The text is
///
///   {"amendments": [{"ids": [...], "patch": {...}, "why": "...", "source": "...", "date": "2026-11-25"}]}
///
/// with a JSON merge patch (RFC 7396: objects are merged, null removes a member). In the place of "ids" may
/// stand "match": a part of a case, {"workload": {"framework": {"name": "x"}}}, that the amended ones have.
/// An amended case has `amendment` and `published`. What cannot be applied becomes a case with `unreadable`:
/// a text of another form, an unknown id where `all_known`, a second amendment of one case, a patch that
/// changes nothing or the id. Never throws for what the text holds.
void amend(std::vector<ValidationCase>& cases, const std::string& text, const std::string& file,
           bool all_known);

}  // namespace rackcast
