#pragma once
/// From the JSON of one case to its fields.
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// Members that matter are checked, others ignored. On a member of the wrong kind `unreadable` says which and
/// the id is kept where there is one. Never throws for what the JSON holds.
ValidationCase read_case(const Json& json, const std::string& file);

/// What stands for a case that has no id: "file.json:12".
std::string place_name(const std::string& file, int line);

}  // namespace rackcast
