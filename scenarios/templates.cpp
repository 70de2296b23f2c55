#include "scenarios/templates.hpp"

#include <fmt/format.h>

#include <span>

#include "sim/embedded.hpp"
#include "sim/error.hpp"

namespace rackcast {

std::span<const EmbeddedFile> scenario_templates();
std::span<const EmbeddedFile> scenario_schemas();

namespace {

std::string_view find(std::span<const EmbeddedFile> files, const std::string& name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return file.text;
  }
  return {};
}

}  // namespace

std::vector<Template> templates() {
  return {{"nodes", "How many nodes do I need for a deadline?"},
          {"time", "How long does it take on the cluster I have?"},
          {"fleet", "How many nodes does the data of a recording fleet need?"},
          {"serving", "How many nodes answer so many requests within a latency?"},
          {"tokens", "How many nodes serve a language model token by token?"}};
}

std::string_view template_text(std::string_view question) {
  const auto text = find(scenario_templates(), fmt::format("init/{}.json", question));
  if (!text.empty()) return text;
  std::string known;
  for (const Template& t : templates()) known += fmt::format("\n  {:8} {}", t.question, t.help);
  throw Error{fmt::format("no starting file for the question \"{}\"", question),
              {},
              "the questions are:" + known,
              ErrorKind::usage};
}

std::string_view schema_text(std::string_view name) {
  const auto text = find(scenario_schemas(), fmt::format("{}.schema.json", name));
  if (!text.empty()) return text;
  throw Error{fmt::format("no schema named \"{}\"", name),
              {},
              "the schemas are: scenario, result, box",
              ErrorKind::usage};
}

}  // namespace rackcast
