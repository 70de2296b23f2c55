#include "scenarios/listings/templates.hpp"

#include <fmt/format.h>

#include <span>

#include "models/networks/workload.hpp"
#include "scenarios/document/campaign.hpp"
#include "scenarios/document/comparison.hpp"
#include "scenarios/document/result.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/base/embedded.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "topologies/catalog/catalog_check.hpp"

namespace rackcast {

std::span<const EmbeddedFile> scenario_templates();
std::span<const EmbeddedFile> scenario_schemas();

namespace {

std::string_view find_text(std::span<const EmbeddedFile> files, const std::string& name) {
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

std::vector<Template> part_templates() {
  return {{"network", "A network that rackcast does not know: \"model\": \"mine.json\""},
          {"gpu", "A GPU: gpus/NAME.json in a folder for --catalog"},
          {"node", "A node: \"node\": \"mine.json\", or nodes/NAME.json in that folder"},
          {"link", "Links of a network: links/NAME.json in that folder"}};
}

std::string_view template_text(std::string_view name) {
  std::vector<Template> all = templates();
  for (const Template& part : part_templates()) all.push_back(part);
  std::string known;
  std::vector<std::string> names;
  for (const Template& t : all) {
    if (t.question == name) return find_text(scenario_templates(), fmt::format("init/{}.json", name));
    known += fmt::format("\n{:8} {}", t.question, t.help);
    names.emplace_back(t.question);
  }
  throw Error{fmt::format("no starting file is called \"{}\"\nthe starting files are:{}", name, known),
              {},
              did_you_mean(name, names),
              ErrorKind::usage};
}

std::vector<Schema> schemas() {
  std::vector<Schema> all;
  all.push_back({"scenario", std::string{find_text(scenario_schemas(), "scenario.schema.json")}});
  all.push_back({"result", doc::document_schema<doc::Result>()});
  all.push_back({"campaign", doc::document_schema<doc::Campaign>()});
  all.push_back({"comparison", doc::document_schema<doc::Comparison>()});
  all.push_back({"network", std::string{network_schema()}});
  for (const std::string& name : catalog_schema_names())
    all.push_back({name, std::string{catalog_schema(name)}});
  return all;
}

std::string schema_text(std::string_view name) {
  std::vector<std::string> known;
  for (const Schema& schema : schemas()) {
    if (schema.name == name) return schema.text;
    known.push_back(schema.name);
  }
  known.emplace_back("box");
  throw Error{fmt::format("no schema is called \"{}\"\nthe schemas are: {}", name, name_list(known)),
              {},
              did_you_mean(name, known),
              ErrorKind::usage};
}

std::string reference_text(std::string_view name) {
  if (name == "result") return doc::document_reference<doc::Result>();
  if (name == "campaign") return doc::document_reference<doc::Campaign>();
  if (name == "comparison") return doc::document_reference<doc::Comparison>();
  throw Error{fmt::format("there is no reference page of \"{}\"", name),
              {},
              "the documents with one are result, campaign and comparison",
              ErrorKind::usage};
}

}  // namespace rackcast
