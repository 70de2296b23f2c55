#include "scenarios/listings/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/networks/token_facts.hpp"
#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/listings/catalog_words.hpp"
#include "sim/base/error.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/catalog_file.hpp"

namespace rackcast {

namespace {

constexpr std::string_view kModels = "models";

std::string joined_words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string list_kinds(const Catalog& catalog) {
  TableDocument::Table hardware{"Hardware", {{"kind"}, {"entries", true}, {"for example"}}, {}};
  for (const std::string& kind : catalog.kinds()) {
    const auto ids = catalog.ids(kind);
    hardware.rows.push_back({kind, fmt::format("{}", ids.size()), ids.empty() ? "" : ids.front()});
  }
  TableDocument::Table software{"Networks and software", {{"kind"}, {"what it is"}}, {}};
  for (const SoftwareKind& kind : software_kinds())
    software.rows.push_back({std::string{kind.name}, std::string{kind.help}});
  return TableDocument{"Catalogue", "rackcast catalog list KIND", {hardware, software}}.json();
}

/// Of a language model, what a token costs.
void add_token_facts(TableDocument::Table& facts, const Workload& w) {
  const TransformerShape& shape = *w.transformer;
  if (shape.experts > 0)
    facts.rows.push_back({"parameters that a token meets", grouped(active_parameters(w))});
  if (!shape.causal) return;
  constexpr Bytes wide{2};  // 16 bits
  facts.rows.push_back({"keys and values of a token in 16 bits", to_text(kv_elements(shape, 1) * wide)});
  if (shape.mamba_layers > 0)
    facts.rows.push_back({"states of a request in its state-space layers", to_text(state_of_request(shape))});
  const auto tokens = static_cast<double>(longest_context(shape));
  if (!(tokens > 0)) return;
  facts.rows.push_back({fmt::format("keys and values of {} tokens in 16 bits", grouped(tokens)),
                        to_text(kv_elements(shape, tokens) * wide)});
}

std::string show_model(std::string_view name) {
  const Workload w = load_workload(name);
  TableDocument::Table facts{"Totals", {{"what"}, {"value", true}}, {}};
  facts.rows.push_back({"input", w.input_text});
  facts.rows.push_back({"parameters", grouped(w.parameters())});
  if (w.transformer) add_token_facts(facts, w);
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
  TableDocument::Table members{"Members", {{"member"}, {"value"}}, {}};
  for (const auto& [key, value] : entry.attributes)
    if (!key.starts_with('$')) members.rows.push_back({key, value});
  std::string subtitle = fmt::format("{}/{}", entry.kind, entry.id);
  if (!entry.aliases.empty()) subtitle += "; also " + joined_words(entry.aliases);
  if (members.rows.empty()) return TableDocument{entry.name, subtitle, {facts}}.json();
  return TableDocument{entry.name, subtitle, {members, facts}}.json();
}

bool is_software(std::string_view kind) {
  const auto all = software_kinds();
  return std::ranges::find(all, kind, &SoftwareKind::name) != all.end();
}

/// What a file of one's own holds, by the members that only one kind of document has.
std::string kind_of_file(const std::string& path) {
  const Json json = parse_json_file(path);
  if (json.kind() == JsonKind::object) {
    struct Mark {
      std::string_view member, kind;
    };
    constexpr std::array marks{
        Mark{"transformer", kModels}, Mark{"layers", kModels},     Mark{"extends", kModels},
        Mark{"gpu_id", "nodes"},      Mark{"node_id", "clusters"}, Mark{"architecture", "gpus"},
        Mark{"fabric", "switches"},   Mark{"family", "links"},     Mark{"network", kModels},
        Mark{"node", "nodes"},        Mark{"storage", "storage"}};
    for (const Mark& mark : marks)
      if (json.find(mark.member)) return std::string{mark.kind};
  }
  json.fail(
      "the file does not say what it describes",
      "say the kind: rackcast catalog show KIND FILE; `rackcast schema gpu` prints the format of a GPU");
}

std::string show_one(const Catalog& catalog, const std::string& kind, std::string_view name) {
  if (kind == kModels) return show_model(name);
  if (!is_software(kind)) return show_entry(catalog.find(kind, name));
  throw Error{fmt::format("{} have no entries to show", kind),
              {},
              fmt::format("rackcast catalog list {} says what is known", kind)};
}

}  // namespace

std::string list_catalog(const Catalog& catalog, std::string_view kind) {
  if (kind.empty()) return list_kinds(catalog);
  const std::string known = kind_of_word(catalog, kind);
  if (is_software(known)) return list_software(known);
  TableDocument::Table rows{"Entries", {{"id"}, {"name"}, {"also called"}}, {}};
  for (const std::string& id : catalog.ids(known)) {
    const CatalogEntry& entry = catalog.find(known, id);
    rows.rows.push_back({entry.id, entry.name, joined_words(entry.aliases)});
  }
  return TableDocument{"Catalogue: " + known, fmt::format("rackcast catalog show {} ID", known), {rows}}
      .json();
}

std::string show_catalog(const Catalog& catalog, std::string_view kind, std::string_view name) {
  if (!kind.empty()) return show_one(catalog, kind_of_word(catalog, kind), name);
  if (is_catalog_file(name) && !find_workload(name))
    return show_one(catalog, kind_of_file(std::string{name}), name);
  std::vector<std::string> found;
  for (const std::string& known : catalog.kinds()) {
    const auto ids = catalog.ids(known);
    if (std::find(ids.begin(), ids.end(), name) != ids.end()) found.push_back(known);
  }
  if (find_workload(name)) found.emplace_back(kModels);
  if (found.size() == 1) return show_one(catalog, found.front(), name);
  throw Error{fmt::format("\"{}\" is {} in the catalogue", name, found.empty() ? "no id" : "not unique"),
              {},
              found.empty() ? fmt::format("look for it: rackcast catalog search {}", name)
                            : "say the kind: " + joined_words(found)};
}

std::string search_catalog(const Catalog& catalog, std::string_view text) {
  TableDocument::Table rows{"Found", {{"kind"}, {"id"}, {"name"}, {"where"}}, {}};
  const std::string wanted{text};
  for (const WorkloadSummary& w : workload_list()) {
    const auto holds = [&](const std::string& word) {
      return word.find(wanted) != std::string::npos;
    };
    if (holds(w.name) || holds(w.title) || std::ranges::any_of(w.aliases, holds)) {
      rows.rows.push_back({std::string{kModels}, w.name, w.title, "name"});
    }
  }
  for (const SearchHit& hit : catalog.search(text))
    rows.rows.push_back({hit.kind, hit.id, hit.name, hit.where});
  return TableDocument{fmt::format("Search: {}", text), fmt::format("{} found", rows.rows.size()), {rows}}
      .json();
}

}  // namespace rackcast
