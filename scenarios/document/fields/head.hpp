#pragma once
/// Keys, units and meanings of the structs of scenarios/document/head.hpp.
#include "scenarios/document/form/field.hpp"
#include "scenarios/document/head.hpp"

namespace rackcast::doc {

template <>
struct Fields<Head> {
  static constexpr std::string_view name = "head";
  static void each(const auto& visit) {
    visit(field("format", &Head::format).needed());
    visit(field("version", &Head::version));
    visit(field("kind", &Head::kind).needed().of("size simulate campaign"));
    visit(field("generator.name", &Head::program));
    visit(field("generator.version", &Head::program_version));
    visit(field("generator.commit", &Head::commit));
    visit(field("command", &Head::command, "the command line that gives this result again"));
    visit(field("scenario.file", &Head::file));
    visit(field("scenario.name", &Head::name));
    visit(field("scenario.description", &Head::description));
    visit(field("scenario.start", &Head::start,
                "the day on which the work begins, ISO; null: the scenario does not say"));
    visit(field("scenario.seed", &Head::seed));
    visit(field("scenario.text", &Head::text, "the scenario with everything it extends"));
  }
};

}  // namespace rackcast::doc
