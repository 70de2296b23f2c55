/// ibnetdiscover: every switch and channel adapter of an InfiniBand fabric with its cables. What comes of it
/// is the shape that planning needs: how many hosts a leaf switch has, how many links go up, their rate, so
/// the oversubscription, with the ports of a leaf that hosts use. Node descriptions hold host names and GUIDs
/// are serial numbers: both identify nodes while reading and are not copied. Form: manual page of
/// ibnetdiscover(8), "Topology File Format".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/import/importers.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_nodes = 200'000, most_cables = 2'000'000;

struct Device {
  bool is_switch = false;
  int ports = 0;
  std::string_view place;
  int to_hosts = 0, to_switches = 0;  ///< cables
};

struct Fabric {
  std::map<std::string_view, Device> devices;
  std::map<std::string_view, int> rates;  ///< "4xEDR" of cables to hosts -> how many
};

/// "H-0002c903..." between the first pair of quotes at or after `from`.
std::optional<std::string_view> quoted(std::string_view line, std::size_t from = 0) {
  const std::size_t begin = line.find('"', from);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = line.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return line.substr(begin + 1, end - begin - 1);
}

struct Cable {
  std::string_view from, to, rate, place;
};

/// Reads a line `[port][(guid)] "ID"[port] ... # ... 4xEDR` of the device `from`.
Cable read_cable(const ImportSource& source, std::string_view line, std::string_view from) {
  const auto to = quoted(line);
  if (!to) source.fail(line, "the other end of this cable is missing", "the file seems to be cut off");
  Cable cable{from, *to, {}, line};
  // Only what follows the last quote can be a rate: descriptions in quotes may hold anything.
  const auto tail = words(line.substr(line.rfind('"') + 1));
  for (const std::string_view word : tail)
    if (word.size() >= 4 && word[1] == 'x' &&
        (word[0] == '1' || word[0] == '2' || word[0] == '4' || word[0] == '8'))
      cable.rate = word;
  return cable;
}

Fabric read_fabric(const ImportSource& source, ImportOutput& out) {
  Fabric fabric;
  std::vector<Cable> cables;
  std::string_view current;
  bool skipped_kind = false;
  for (const ImportLine& line : source.lines()) {
    const std::string_view text = trimmed(line.text);
    if (text.starts_with("Switch") || text.starts_with("Ca\t") || text.starts_with("Ca ") ||
        text.starts_with("Rt")) {
      const auto all = words(text);
      const auto id = quoted(text);
      if (all.size() < 3 || !id) source.fail(text, "a switch or adapter needs a number of ports and an id");
      Device d;
      d.is_switch = text.starts_with("Switch");
      d.ports = static_cast<int>(source.number(all[1], 1, 4096, "the number of ports"));
      d.place = text;
      if (text.starts_with("Rt")) skipped_kind = true;
      if (fabric.devices.size() == most_nodes) source.fail(text, "more than 200000 devices");
      if (!fabric.devices.emplace(*id, d).second) source.fail(text, "this device stands twice in the file");
      current = *id;
    } else if (text.starts_with('[')) {
      if (current.empty()) source.fail(text, "a cable before any switch or adapter");
      if (cables.size() == most_cables) source.fail(text, "more than two million cables");
      cables.push_back(read_cable(source, text, current));
    }
  }
  int dangling = 0;
  for (const Cable& cable : cables) {
    const auto other = fabric.devices.find(cable.to);
    Device& self = fabric.devices.at(cable.from);
    if (other == fabric.devices.end()) {
      ++dangling;
      continue;
    }
    ++(other->second.is_switch ? self.to_switches : self.to_hosts);
    if (self.is_switch && !other->second.is_switch) ++fabric.rates[cable.rate];
  }
  if (dangling > 0)
    out.warnings.push_back(fmt::format("{} cables lead to devices that are not in the file", dangling));
  if (skipped_kind) out.warnings.emplace_back("routers are counted as adapters");
  for (const auto& [id, d] : fabric.devices)
    if (d.to_hosts + d.to_switches > d.ports)
      source.fail(d.place, fmt::format("{} cables on {} ports", d.to_hosts + d.to_switches, d.ports));
  return fabric;
}

/// "4xEDR" or "4xFDR10" as the scenario calls the link; empty if unknown.
std::string link_of(std::string_view rate) {
  constexpr std::string_view known[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"};
  if (!rate.starts_with("4x")) return {};
  for (const std::string_view name : known) {
    if (rate.substr(2) != name) continue;
    std::string lower{name};
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return lower;
  }
  return {};
}

template <class Count>
Count most_common(const std::map<Count, int>& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

}  // namespace

void import_ibnetdiscover(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const Fabric fabric = read_fabric(source, out);
  std::map<int, int> hosts_per_leaf, ups_per_leaf, ports;
  int switches = 0, leaves = 0, adapters = 0, upper_links = 0;
  for (const auto& [id, d] : fabric.devices) {
    if (!d.is_switch) {
      ++adapters;
      continue;
    }
    ++switches;
    ++ports[d.ports];
    if (d.to_hosts > 0) {
      ++leaves;
      ++hosts_per_leaf[d.to_hosts];
      ++ups_per_leaf[d.to_switches];
    } else {
      upper_links += d.to_switches;
    }
  }
  if (switches == 0)
    source.fail(std::size_t{0}, "the file lists no switch", "save the whole output of ibnetdiscover");
  if (adapters == 0) source.fail(std::size_t{0}, "the file lists no channel adapter");
  if (leaves == 0) source.fail(std::size_t{0}, "no adapter is cabled to a switch");
  nlohmann::ordered_json counts{{"switches", switches}, {"leaf_switches", leaves}, {"adapters", adapters}};
  counts["ports_per_switch"] = most_common(ports);
  counts["adapters_per_leaf"] = most_common(hosts_per_leaf);
  counts["uplinks_per_leaf"] = most_common(ups_per_leaf);
  counts["links_above_leaves"] = upper_links;
  out.body["counts"] = counts;

  const int down = most_common(hosts_per_leaf), up = most_common(ups_per_leaf);
  nlohmann::ordered_json scenario = nlohmann::ordered_json::object();
  if (switches == 1) scenario["kind"] = "single_switch";
  if (switches > 1 && up > 0) {
    scenario["oversubscription"] = std::clamp(static_cast<double>(down) / up, 1.0, 64.0);
    scenario["down_ports"] = down;
  }
  if (switches > 1 && up == 0) out.warnings.emplace_back("several switches without links between them");
  if (switches > 1)
    out.warnings.emplace_back(
        "the shape of the switches is taken as a fat tree; set \"kind\" if it is another");
  if (hosts_per_leaf.size() > 1 || ups_per_leaf.size() > 1)
    out.warnings.emplace_back("leaf switches differ: the most common numbers of hosts and uplinks are taken");
  std::string_view rate;
  if (!fabric.rates.empty()) rate = most_common(fabric.rates);
  if (const std::string link = link_of(rate); !link.empty()) {
    scenario["link"] = link;
  } else {
    out.warnings.emplace_back(
        "the rate of the links to the hosts is not in the file: give \"link\" in the scenario");
  }
  if (fabric.rates.size() > 1)
    out.warnings.emplace_back("hosts are linked at several rates: the most common is taken");
  out.body["fabric"] = scenario;
  out.summary = fmt::format("{} adapters on {} switches ({} leaves with {} down, {} up each)", adapters,
                            switches, leaves, down, up);
}

}  // namespace rackcast
