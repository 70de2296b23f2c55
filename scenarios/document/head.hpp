#pragma once
/// What every document says first: its format, the program that wrote it, and the scenario that it answers.
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

struct Head {
  std::string format;
  std::int64_t version = 1;
  std::string kind, program, program_version, commit, command, file, name, description;
  std::optional<std::string> start;
  Any seed, text;
};

template <>
struct Fields<Head> {
  static constexpr std::string_view name = "head";
  static constexpr auto list = std::tuple{
      field("format", &Head::format).needed(),
      field("version", &Head::version),
      field("kind", &Head::kind).needed().of("size simulate campaign"),
      field("generator.name", &Head::program),
      field("generator.version", &Head::program_version),
      field("generator.commit", &Head::commit),
      field("command", &Head::command, "the command line that gives this result again"),
      field("scenario.file", &Head::file),
      field("scenario.name", &Head::name),
      field("scenario.description", &Head::description),
      field("scenario.start", &Head::start,
            "the day on which the work begins, ISO; null: the scenario does not say"),
      field("scenario.seed", &Head::seed),
      field("scenario.text", &Head::text, "the scenario with everything it extends"),
  };
};

}  // namespace rackcast::doc
