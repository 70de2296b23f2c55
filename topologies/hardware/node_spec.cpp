#include "topologies/hardware/node_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "topologies/catalog/catalog_file.hpp"
#include "topologies/catalog/limits.hpp"
#include "topologies/catalog/spec_reader.hpp"
#include "topologies/hardware/node_wiring.hpp"

namespace rackcast {
namespace {

std::string gpu_name(const CatalogEntry& entry, const NodeChoice& choice) {
  if (!choice.gpu.empty()) return choice.gpu;
  const Json* own = entry.json.find("gpu_id");
  if (own && !own->is_null()) {
    const std::filesystem::path file{own->string()};
    if (!is_catalog_file(own->string()) || file.is_absolute()) return own->string();
    return (std::filesystem::path{entry.file}.parent_path() / file).string();  // beside the node's own file
  }
  throw Error{fmt::format("the node \"{}\" is a template: say which GPU it holds", entry.id),
              {},
              "for example \"gpu\": \"p100_pcie_16gb\""};
}

int gpu_count(const CatalogEntry& entry, const NodeChoice& choice, const std::optional<TemplateRule>& rule,
              int per_board) {
  const Json& json = entry.json.require("gpu_count");
  const std::int64_t boards = json.integer();
  if (boards < 1 || boards > limits::boards)
    json.fail(fmt::format("a node holds between 1 and {} boards", limits::boards));
  const int own = static_cast<int>(boards) * per_board;
  const int wanted = choice.gpus.value_or(own);
  if (wanted == own) return own;
  if (!rule) {
    throw Error{fmt::format("the node \"{}\" has {} GPUs, not {}", entry.id, own, wanted),
                {},
                "use fewer of them in the run, or a template such as pcie_server"};
  }
  if (wanted < 1 || wanted > rule->max_gpus) {
    throw Error{
        fmt::format("the template \"{}\" holds 1 to {} GPUs, not {}", entry.id, rule->max_gpus, wanted), {}};
  }
  return wanted;
}

void read_nics(const Catalog& catalog, const SpecReader& reader, const NodeChoice& choice, NodeSpec& node) {
  if (const Fact* fact = reader.entry().find("nics_compute")) {
    ObjectReader row{fact->value()};
    node.nics = static_cast<int>(row.integer("count", 0, limits::nics));
    const double gbit = row.number("gbit_per_s_per_port", 0.001, 1e6);
    node.nic_kind = row.string("kind");
    row.finish();
    node.nic_link = port_link_spec(catalog, node.nic_kind, Bandwidth{gbit * 1e9 / 8});
  }
  if (!choice.nic_link.empty()) {
    node.nic_link = link_spec(catalog, choice.nic_link);
    node.nic_kind = node.nic_link->id;
    if (node.nics == 0) node.nics = 1;
  }
  if (choice.nics) {
    if (*choice.nics < 0 || *choice.nics > limits::nics) {
      throw Error{fmt::format("a node cannot have {} network ports", *choice.nics)};
    }
    if (*choice.nics > 0 && !node.nic_link) {
      throw Error{fmt::format("the catalogue does not know the network ports of {}", node.id),
                  {},
                  "name their link, for example \"edr\" or \"gbe25\""};
    }
    node.nics = *choice.nics;
  }
  if (choice.nic_rate && node.nic_link) {
    const double factor = *choice.nic_rate / node.nic_link->raw.value;
    node.nic_link->raw.value *= factor;
    node.nic_link->achievable.value *= factor;
  }
}

/// Where stated ports stand; see NodeChoice::nics.
void place_ports(NodeSpec& node) {
  int places = 0;
  for (const PcieBranch& branch : node.pcie) places += branch.nics;
  if (places > 0 && node.nics > places && node.nics % places == 0) {
    for (PcieBranch& branch : node.pcie) branch.nics *= node.nics / places;
  }
  const bool port_each = std::ranges::all_of(
      node.pcie, [](const PcieBranch& b) { return b.gpus.size() == 1 && b.nics == 1 && b.parent.empty(); });
  if (port_each && node.nics < static_cast<int>(node.pcie.size())) {
    for (PcieBranch& branch : node.pcie) branch.nics = 0;
  }
}

void drop_gpu_links(NodeSpec& node) {
  node.adjacency.clear();
  node.gpu_link.reset();
  node.nvswitches = 0;
}

/// Host plus GPUs, for templates that give the host alone.
Maybe<Power> whole_power(const SpecReader& reader, const Maybe<Power>& gpu, int gpus) {
  auto host = reader.quantity<Power>("host_power_w");
  if (!host || !gpu) return std::nullopt;
  host->value += gpu->value * gpus;
  host->source = fmt::format("computed: host_power_w + {} x GPU board power", gpus);
  return host;
}

Maybe<Money> whole_price(const SpecReader& reader, const Maybe<Money>& gpu, int gpus) {
  auto host = reader.quantity<Money>("host_price_usd");
  if (!host || !gpu) return std::nullopt;
  host->value += gpu->value * gpus;
  host->source = fmt::format("computed: host_price_usd + {} x GPU launch price", gpus);
  return host;
}

Maybe<double> rack_units_of(const SpecReader& reader) {
  return reader.maybe<double>("rack_units", [](const Fact& fact) {
    constexpr double open_unit_per_rack_unit = 48.0 / 44.45;  // Open Rack unit of 48 mm
    return fact.number() * (fact.unit() == "OU" ? open_unit_per_rack_unit : 1.0);
  });
}

void read_host(const SpecReader& reader, NodeSpec& node) {
  node.cpu_model = reader.text("cpu_model");
  node.cpu_cores = reader.count("cpu_cores_total", 1, 1'000'000);
  node.dram = reader.first_quantity<Bytes>({"dram_gb", "dram_gib"});
  node.ssd = reader.quantity<Bytes>("local_ssd_total_tb");
  node.ssd_read = reader.quantity<Bandwidth>("local_ssd_read_gb_per_s");
  node.rack_units = rack_units_of(reader);
  node.max_power = reader.quantity<Power>("max_power_w");
  if (!node.max_power) node.max_power = whole_power(reader, node.gpu.tdp, node.gpus);
  node.typical_power = reader.quantity<Power>("typical_power_w");
  node.idle_power = reader.quantity<Power>("idle_power_w");
  node.weight = reader.quantity<Mass>("weight_kg");
  node.price = reader.first_quantity<Money>({"list_price_usd", "system_price_usd"});
  if (!node.price) node.price = whole_price(reader, node.gpu.price, node.gpus);
}

}  // namespace

NodeSpec node_spec(const Catalog& catalog, const NodeChoice& choice) {
  const CatalogEntry& entry = catalog.find("nodes", choice.node);
  const SpecReader reader{entry};
  const auto rule = template_rule(entry);
  NodeSpec node;
  node.id = entry.id;
  node.listed_as = is_catalog_file(choice.node) ? choice.node : entry.id;
  node.name = entry.name;
  node.gpu = gpu_spec(catalog, gpu_name(entry, choice));
  node.gpus = gpu_count(entry, choice, rule, rule ? 1 : node.gpu.per_board);
  node.boards = (node.gpus + node.gpu.per_board - 1) / node.gpu.per_board;
  read_gpu_links(catalog, reader, node);
  if (rule && rule->links != TemplateRule::Links::none) wire_directly(catalog, rule->links, node);
  read_host_links(catalog, reader, rule, node);
  if (!choice.gpu_links) drop_gpu_links(node);
  node.peer_to_peer = choice.peer_to_peer.value_or(node.peer_to_peer);
  read_nics(catalog, reader, choice, node);
  if (choice.nics) place_ports(node);
  read_host(reader, node);
  return node;
}

NodeSpec node_spec(const Catalog& catalog, std::string_view node) {
  return node_spec(catalog, NodeChoice{.node = std::string{node}});
}

}  // namespace rackcast
