#include "scenarios/listings/catalog_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "models/collectives/collective.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/exchange/compression.hpp"
#include "models/exchange/exchange_methods.hpp"
#include "models/frameworks/framework.hpp"
#include "models/networks/layer_kinds.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/json/table_document.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast {
namespace {

struct Words {
  std::string_view kind;
  std::string_view words;  ///< separated by spaces, in the singular
};
/// Words for the same thing. A plural needs no entry of its own.
constexpr std::array meanings{
    Words{"models", "network neural_network net workload dnn llm language_model transformer cnn"},
    Words{"gpus", "accelerator card graphics_card device chip tpu"},
    Words{"nodes", "server machine computer system host instance box dgx workstation"},
    Words{"clusters", "supercomputer installation pod"},
    Words{"links", "interconnect cabling bus nvlink pcie infiniband ethernet bandwidth"},
    Words{"adapters", "nic hca network_adapter network_card"},
    Words{"cables", "transceiver optic"},
    Words{"storage", "disk drive ssd nvme array file_system filesystem"},
    Words{"facility", "rack power cooling pue data_centre datacenter data_center site floor electricity"},
    Words{"prices", "price cost cloud rent money"},
    Words{"reliability", "failure mtbf availability"},
    Words{"reference_architectures", "superpod basepod reference design"},
    Words{"guidance", "data_set dataset rule"},
    Words{"architectures", "generation gpu_architecture"},
    Words{"frameworks", "framework software pytorch tensorflow library"},
    Words{"exchanges", "exchange gradient_exchange all_reduce parameter_server"},
    Words{"collectives", "collective algorithm"},
    Words{"transports", "transport nccl mpi"},
    Words{"compressions", "compression"},
    Words{"fabrics", "fabric topology network_topology"},
    Words{"layers", "layer operator"},
    Words{"precisions", "precision number_format datatype dtype"},
};

constexpr std::array<SoftwareKind, 9> kinds_of_software{{
    {"models", "networks to train and to serve"},
    {"frameworks", "training and serving software, \"framework\" of a workload"},
    {"exchanges", "how gradients are combined, \"exchange\" of a workload"},
    {"collectives", "algorithms of collectives, \"algorithm\" of an exchange"},
    {"transports", "communication libraries, \"transport\" of an exchange"},
    {"compressions", "of gradients, \"compression\" of an exchange"},
    {"fabrics", "shapes of a network of switches, \"kind\" of a fabric"},
    {"layers", "kinds of layers of a network of one's own"},
    {"precisions", "\"precision\" of a workload"},
}};

std::string plain_word(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == ' ' || c == '-' ? '_' : lower_case(c);
  return out;
}

/// Whether `word` is `known` or its plural or singular.
bool same_word(std::string_view word, std::string_view known) {
  const auto plural = [](std::string_view one, std::string_view many) {
    return many == std::string{one} + "s" || many == std::string{one} + "es" ||
           (one.ends_with('y') && many == std::string{one.substr(0, one.size() - 1)} + "ies");
  };
  return word == known || plural(word, known) || plural(known, word);
}

bool means(const Words& entry, std::string_view word) {
  std::string_view rest = entry.words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (same_word(word, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::vector<std::string> all_kinds(const Catalog& catalog) {
  std::vector<std::string> kinds = catalog.kinds();
  for (const SoftwareKind& kind : kinds_of_software) kinds.emplace_back(kind.name);
  return kinds;
}

std::vector<std::string> all_words(const Catalog& catalog) {
  std::vector<std::string> words = all_kinds(catalog);
  for (const Words& entry : meanings) {
    std::string_view rest = entry.words;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return words;
}

using Rows = std::vector<std::vector<std::string>>;

template <class Items>
Rows named_rows(const Items& items) {
  Rows rows;
  for (const auto& item : items) rows.push_back({std::string{item.name}, std::string{item.help}});
  return rows;
}

Rows plain_rows(const std::vector<std::string>& names) {
  Rows rows;
  for (const std::string& name : names) rows.push_back({name, ""});
  return rows;
}

Rows model_rows() {
  Rows rows;
  for (const WorkloadSummary& w : workload_list())
    rows.push_back({w.name, w.title, w.task, fmt::format("{}", fmt::join(w.aliases, ", "))});
  return rows;
}

Rows framework_rows() {
  Rows rows;
  for (const FrameworkProfile& f : framework_profiles())
    rows.push_back({f.id, f.exchange, f.exchange_between_nodes});
  return rows;
}

Rows precision_rows() {
  Rows rows;
  for (int i = 0; i <= static_cast<int>(Precision::fp4); ++i)
    rows.push_back({std::string{to_string(static_cast<Precision>(i))}, ""});
  return rows;
}

Rows rows_of(std::string_view name) {
  if (name == "models") return model_rows();
  if (name == "frameworks") return framework_rows();
  if (name == "exchanges") return plain_rows(exchange_method_names());
  if (name == "collectives") return named_rows(collective_algorithms());
  if (name == "transports") return plain_rows(comm_transports());
  if (name == "compressions") return named_rows(compressions());
  if (name == "fabrics") return named_rows(fabric_kinds());
  if (name == "layers") return named_rows(layer_kinds());
  return precision_rows();
}

std::vector<TableColumn> columns_of(std::string_view name) {
  if (name == "models") return {{"name"}, {"title"}, {"task"}, {"also called"}};
  if (name == "frameworks") return {{"name"}, {"exchange on one node"}, {"exchange between nodes"}};
  return {{"name"}, {"what it is"}};
}

}  // namespace

std::vector<SoftwareKind> software_kinds() {
  return {kinds_of_software.begin(), kinds_of_software.end()};
}

std::string list_software(std::string_view name) {
  const auto kind = std::ranges::find(kinds_of_software, name, &SoftwareKind::name);
  TableDocument::Table table{std::string{name}, columns_of(name), rows_of(name)};
  const bool empty = std::ranges::all_of(table.rows, [](const auto& row) { return row.back().empty(); });
  if (empty) {
    table.columns.pop_back();
    for (auto& row : table.rows) row.pop_back();
  }
  const std::string subtitle =
      name == "models" ? "rackcast catalog show model NAME" : std::string{kind->help};
  return TableDocument{name == "models" ? "Networks" : "Known " + std::string{name}, subtitle, {table}}
      .json();
}

std::string kind_of_word(const Catalog& catalog, std::string_view asked) {
  const std::string word = plain_word(asked);
  for (const std::string& kind : all_kinds(catalog))
    if (same_word(word, kind)) return kind;
  for (const Words& entry : meanings)
    if (means(entry, word)) return std::string{entry.kind};
  const std::string near = did_you_mean(word, all_words(catalog));
  throw Error{
      fmt::format("the catalogue has no kind \"{}\"\nthe kinds are: {}", asked,
                  name_list(all_kinds(catalog))),
      {},
      near.empty() ? fmt::format("look for an entry of that name: rackcast catalog search {}", asked) : near};
}

}  // namespace rackcast
