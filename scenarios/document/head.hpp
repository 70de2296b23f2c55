#pragma once
/// What every document says first: its format, the program that wrote it, and the scenario that it answers.
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/document/form/any.hpp"

namespace rackcast::doc {

struct Head {
  std::string format;
  std::int64_t version = 1;
  std::string kind, program, program_version, commit, command, file, name, description;
  std::optional<std::string> start;
  Any seed, text;
};

}  // namespace rackcast::doc
