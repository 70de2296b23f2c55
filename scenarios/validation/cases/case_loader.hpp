#pragma once
/// Reads case files: a JSON array of cases, an object with a "cases" array, a single case, or one case per
/// line.
///
/// Case files come from elsewhere, so a broken one must not hide the others: when a file does not parse as a
/// whole, its objects are cut out and parsed one by one. What cannot be read becomes a case with `unreadable`
/// set, which the summary counts.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// Cases of one text, in its order; `name` is the file in messages. Never throws for what the text holds.
std::vector<ValidationCase> parse_cases(const std::string& text, const std::string& name);

/// A file, or every *.json and *.jsonl file below a folder, in the order of their paths, with the amendments
/// that stand beside them (amendments.hpp). A repeated id makes the later case unreadable. Throws Error if
/// the path does not exist, or holds no such file.
std::vector<ValidationCase> load_cases(const std::string& path);

/// Throws Error with file, line and id of the first case that cannot be read, if there is one.
void require_readable(const std::vector<ValidationCase>& cases);

}  // namespace rackcast
