#include "scenarios/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/workload.hpp"
#include "sim/error.hpp"
#include "sim/near_matches.hpp"
#include "sim/quantity_text.hpp"
#include "sim/table_document.hpp"
#include "topologies/catalog.hpp"

namespace rackcast {

namespace {

constexpr std::string_view kModels = "models";

std::string joined_words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string list_kinds(const Catalog& catalog) {
  TableDocument::Table rows{"Kinds", {{"kind"}, {"entries", true}, {"for example"}}, {}};
  rows.rows.push_back(
      {std::string{kModels}, fmt::format("{}", workload_list().size()), workload_list().front().name});
  for (const std::string& kind : catalog.kinds()) {
    const auto ids = catalog.ids(kind);
    rows.rows.push_back({kind, fmt::format("{}", ids.size()), ids.empty() ? "" : ids.front()});
  }
  return TableDocument{"Catalogue", "rackcast catalog list KIND", {rows}}.json();
}

std::string list_models() {
  TableDocument::Table rows{"Networks", {{"name"}, {"title"}, {"task"}, {"also called"}}, {}};
  for (const WorkloadSummary& w : workload_list()) {
    rows.rows.push_back({w.name, w.title, w.task, joined_words(w.aliases)});
  }
  return TableDocument{"Networks", "rackcast catalog show model NAME", {rows}}.json();
}

std::string show_model(std::string_view name) {
  const Workload w = load_workload(name);
  TableDocument::Table facts{"Totals", {{"what"}, {"value", true}}, {}};
  facts.rows.push_back({"input", w.input_text});
  facts.rows.push_back({"parameters", grouped(w.parameters())});
  facts.rows.push_back({"forward arithmetic per sample", to_text(w.forward_flop())});
  facts.rows.push_back({"activations kept per sample", grouped(w.activation_elements())});
  TableDocument::Table layers{
      "Layers", {{"layer"}, {"kind"}, {"output"}, {"parameters", true}, {"forward", true}}, {}};
  for (const LayerRow& row : layer_table(w)) {
    layers.rows.push_back({row.layer, row.kind, row.output, row.parameters > 0 ? grouped(row.parameters) : "",
                           row.forward_flop.base() > 0 ? to_text(row.forward_flop) : ""});
  }
  return TableDocument{w.title, w.task + "; " + w.source, {facts, layers}}.json();
}

std::string show_entry(const CatalogEntry& entry) {
  TableDocument::Table facts{"Facts", {{"fact"}, {"value", true}, {"confidence"}, {"source"}}, {}};
  for (const Fact& fact : entry.facts) {
    std::string source = fact.source();
    if (!fact.note().empty()) source += " (" + fact.note() + ")";
    facts.rows.push_back({fact.key(), fact.display(), std::string{to_string(fact.confidence())}, source});
  }
  std::string subtitle = fmt::format("{}/{}", entry.kind, entry.id);
  if (!entry.aliases.empty()) subtitle += "; also " + joined_words(entry.aliases);
  return TableDocument{entry.name, subtitle, {facts}}.json();
}

/// "model" and "gpu" mean "models" and "gpus".
std::string plural(const Catalog& catalog, std::string_view kind) {
  auto kinds = catalog.kinds();
  kinds.emplace_back(kModels);
  for (const std::string& known : kinds) {
    if (kind == known || (known.size() == kind.size() + 1 && known.starts_with(kind)) ||
        (known.ends_with("ches") && known.starts_with(kind) && known.size() == kind.size() + 2)) {
      return known;
    }
  }
  const auto near = near_matches(kind, kinds);
  throw Error{
      fmt::format("the catalogue has no kind \"{}\"", kind),
      {},
      near.empty() ? "the kinds are: " + joined_words(kinds) : "did you mean " + joined_words(near) + "?"};
}

}  // namespace

std::string list_catalog(const Catalog& catalog, std::string_view kind) {
  if (kind.empty()) return list_kinds(catalog);
  const std::string known = plural(catalog, kind);
  if (known == kModels) return list_models();
  TableDocument::Table rows{"Entries", {{"id"}, {"name"}, {"also called"}}, {}};
  for (const std::string& id : catalog.ids(known)) {
    const CatalogEntry& entry = catalog.find(known, id);
    rows.rows.push_back({entry.id, entry.name, joined_words(entry.aliases)});
  }
  return TableDocument{"Catalogue: " + known, fmt::format("rackcast catalog show {} ID", known), {rows}}
      .json();
}

std::string show_catalog(const Catalog& catalog, std::string_view kind, std::string_view name) {
  if (!kind.empty()) {
    const std::string known = plural(catalog, kind);
    return known == kModels ? show_model(name) : show_entry(catalog.find(known, name));
  }
  std::vector<std::string> found;
  for (const std::string& known : catalog.kinds()) {
    const auto ids = catalog.ids(known);
    if (std::find(ids.begin(), ids.end(), name) != ids.end()) found.push_back(known);
  }
  for (const WorkloadSummary& w : workload_list()) {
    if (w.name == name) found.emplace_back(kModels);
  }
  if (found.size() == 1) return show_catalog(catalog, found.front(), name);
  throw Error{fmt::format("\"{}\" is {} in the catalogue", name, found.empty() ? "no id" : "not unique"),
              {},
              found.empty() ? fmt::format("look for it: rackcast catalog search {}", name)
                            : "say the kind: " + joined_words(found)};
}

std::string search_catalog(const Catalog& catalog, std::string_view text) {
  TableDocument::Table rows{"Found", {{"kind"}, {"id"}, {"name"}, {"where"}}, {}};
  const std::string wanted{text};
  for (const WorkloadSummary& w : workload_list()) {
    if (w.name.find(wanted) != std::string::npos || w.title.find(wanted) != std::string::npos) {
      rows.rows.push_back({std::string{kModels}, w.name, w.title, "name"});
    }
  }
  for (const SearchHit& hit : catalog.search(text))
    rows.rows.push_back({hit.kind, hit.id, hit.name, hit.where});
  return TableDocument{fmt::format("Search: {}", text), fmt::format("{} found", rows.rows.size()), {rows}}
      .json();
}

}  // namespace rackcast
