#include "topologies/hardware/link_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "topologies/catalog/catalog_entry.hpp"
#include "topologies/catalog/limits.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {
namespace {

/// In the order in which a name without a family is looked up.
constexpr std::array<std::string_view, 9> families{
    "infiniband_4x", "ethernet", "nvlink", "pcie", "socket_links", "other_fabrics", "xgmi", "ipoib", "tcp"};

constexpr std::string_view rule_source =
    "rule: a family without this figure takes that of its nearest relative";

/// Files of a user, whose links belong to one of the families.
std::vector<const CatalogEntry*> own_files(const Catalog& catalog) {
  std::vector<const CatalogEntry*> files;
  for (const std::string& id : catalog.ids("links")) {
    if (std::ranges::find(families, id) != families.end()) continue;
    const CatalogEntry& entry = catalog.find("links", id);
    if (!entry.attribute("family").empty()) files.push_back(&entry);
  }
  return files;
}

/// The names of the links in a file.
std::vector<std::string> groups_of(const CatalogEntry& entry) {
  std::vector<std::string> groups;
  for (const Fact& fact : entry.facts) {
    const std::string group = fact.key().substr(0, fact.key().find('/'));
    if (group != fact.key() && (groups.empty() || groups.back() != group)) groups.push_back(group);
  }
  return groups;
}

[[noreturn]] void fail_unknown(const Catalog& catalog, std::string_view name) {
  std::vector<std::string> known;
  for (const std::string_view family : families)
    std::ranges::move(groups_of(catalog.find("links", family)), std::back_inserter(known));
  for (const CatalogEntry* file : own_files(catalog))
    std::ranges::move(groups_of(*file), std::back_inserter(known));
  const auto near = near_matches(name, known);
  throw Error{fmt::format("the catalogue has no link \"{}\"", name),
              {},
              fmt::format("{}: {}", near.empty() ? "links" : "near matches",
                          fmt::join(near.empty() ? known : near, ", "))};
}

Known<Duration> default_latency(const Catalog& catalog, std::string_view family) {
  if (family == "pcie") {
    const SpecReader reader{catalog.find("links", "pcie")};
    return reader.require(reader.quantity<Duration>("peer_to_peer_latency_us"), "peer_to_peer_latency_us");
  }
  if (family == "xgmi") return link_spec(catalog, "nvlink/nvlink2").latency;
  if (family == "ipoib") {
    const SpecReader reader{catalog.find("links", "ipoib")};
    return reader.require(reader.quantity<Duration>("latency_us"), "latency_us");
  }
  auto latency = link_spec(catalog, "ethernet/gbe100").latency;
  latency.source = fmt::format("{} (100 GbE)", rule_source);
  latency.confidence = Confidence::memory;
  return latency;
}

/// A fabric given as the total of a node, divided by the node's adapters.
Maybe<Bandwidth> rate_of_node(const SpecReader& reader, std::string_view group) {
  auto total = reader.quantity<Bandwidth>(fmt::format("{}/node_gbit_per_s", group));
  const auto nics = reader.count(fmt::format("{}/nics", group), 1, limits::nics);
  if (total && nics) total->value /= **nics;
  return total;
}

LinkSpec read_group(const Catalog& catalog, std::string_view family, const CatalogEntry& entry,
                    std::string_view group) {
  const SpecReader reader{entry};
  const auto rate = [&](std::initializer_list<std::string_view> keys) -> Maybe<Bandwidth> {
    for (const std::string_view key : keys) {
      if (auto value = reader.quantity<Bandwidth>(fmt::format("{}/{}", group, key))) return value;
    }
    return std::nullopt;
  };
  auto raw = rate({"effective_4x_gb_per_s_per_direction", "raw_link_gb_per_s_per_direction",
                   "raw_gb_per_s_per_direction", "raw_x16_gb_per_s_per_direction", "gb_per_s_per_direction",
                   "link_gb_per_s_per_direction", "gbit_per_s", "achievable_gbit_per_s"});
  if (!raw) raw = rate_of_node(reader, group);
  auto achievable = rate({"achievable_rdma_gb_per_s", "achievable_link_gb_per_s_per_direction",
                          "achievable_gb_per_s_per_direction", "achievable_x16_gb_per_s_per_direction",
                          "achievable_gbit_per_s"});
  if (!raw) raw = achievable;
  if (!achievable) achievable = raw;
  if (!raw) (void)entry.require(fmt::format("{}/raw_gb_per_s_per_direction", group));
  const auto time = [&](std::string_view key) {
    return reader.quantity<Duration>(fmt::format("{}/{}", group, key));
  };
  Maybe<Duration> latency = time("adapter_latency_us");
  if (!latency) latency = time("latency_us");
  if (!latency) latency = time("latency_us_roce");
  if (!latency) latency = time("latency_us_tcp");
  if (!latency && entry.id != family) (void)entry.require(fmt::format("{}/latency_us", group));
  return {fmt::format("{}/{}", family, group), std::string{family}, *raw, *achievable,
          latency ? *latency : default_latency(catalog, family)};
}

}  // namespace

void check_link_family(std::string_view id, const Json& json) {
  if (json.find("family") || std::ranges::find(families, id) != families.end() || id == "software_latency")
    return;
  json.fail(fmt::format("the file does not say which family its links belong to"),
            fmt::format("add \"family\": one of {}", fmt::join(families, ", ")));
}

LinkSpec link_spec(const Catalog& catalog, std::string_view name) {
  const auto slash = name.find('/');
  const std::string_view wanted_family = slash == std::string_view::npos ? "" : name.substr(0, slash);
  const std::string wanted = normalised(slash == std::string_view::npos ? name : name.substr(slash + 1));
  const auto group_in = [&](const CatalogEntry& entry) -> std::string {
    for (std::string& group : groups_of(entry))
      if (normalised(group) == wanted) return group;
    return {};
  };
  for (const std::string_view family : families) {
    if (!wanted_family.empty() && family != wanted_family) continue;
    const CatalogEntry& entry = catalog.find("links", family);
    if (const std::string group = group_in(entry); !group.empty())
      return read_group(catalog, family, entry, group);
  }
  for (const CatalogEntry* entry : own_files(catalog)) {
    const std::string_view family = entry->attribute("family");
    if (!wanted_family.empty() && family != wanted_family && entry->id != wanted_family) continue;
    if (const std::string group = group_in(*entry); !group.empty())
      return read_group(catalog, family, *entry, group);
  }
  fail_unknown(catalog, name);
}

LinkSpec pcie_spec(const Catalog& catalog, int generation, int lanes) {
  LinkSpec link = link_spec(catalog, fmt::format("pcie/gen{}", generation));
  if (lanes != 16) {
    link.raw.value *= lanes / 16.0;
    link.achievable.value *= lanes / 16.0;
    link.id += fmt::format(" x{}", lanes);
  }
  return link;
}

LinkSpec port_link_spec(const Catalog& catalog, std::string_view kind, Bandwidth rate) {
  const double gbit = rate.base() * 8 / 1e9;
  struct Port {
    std::string_view name;
    double gbit;
  };
  constexpr std::array<Port, 9> infiniband{{{"sdr", 10},
                                            {"ddr", 20},
                                            {"fdr10", 41},
                                            {"qdr", 40},
                                            {"fdr", 56},
                                            {"edr", 100},
                                            {"hdr", 200},
                                            {"ndr", 400},
                                            {"xdr", 800}}};
  constexpr std::array<Port, 9> ethernet{{{"gbe1", 1},
                                          {"gbe10", 10},
                                          {"gbe25", 25},
                                          {"gbe40", 40},
                                          {"gbe50", 50},
                                          {"gbe100", 100},
                                          {"gbe200", 200},
                                          {"gbe400", 400},
                                          {"gbe800", 800}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> others{
      {{"efa v1", "efa_v1_p4d"}, {"efa v2", "efa_v2_p5"}, {"slingshot", "slingshot"}}};
  for (const auto& [words, link] : others)
    if (contains_ignoring_case(kind, words)) return link_spec(catalog, fmt::format("other_fabrics/{}", link));
  const bool ib = contains_ignoring_case(kind, "infiniband");
  const Port* best = nullptr;
  for (const Port& port : ib ? infiniband : ethernet) {
    if (!best || std::abs(port.gbit - gbit) < std::abs(best->gbit - gbit)) best = &port;
  }
  if (std::abs(best->gbit - gbit) > 0.15 * gbit) {
    throw Error{
        fmt::format("no catalogued {} link has about {:g} Gbit/s", ib ? "InfiniBand" : "Ethernet", gbit),
        {},
        fmt::format("the nearest is {} with {:g} Gbit/s", best->name, best->gbit)};
  }
  return link_spec(catalog, fmt::format("{}/{}", ib ? "infiniband_4x" : "ethernet", best->name));
}

}  // namespace rackcast
