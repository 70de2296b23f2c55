#include "models/collectives/comm_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/data_files.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

template <class Q>
Q quantity_in(const Json& object, std::string_view key) {
  return parse_quantity<Q>(object.require(key).string());
}

double value_in(const Json& object, std::string_view key) {
  return object.require(key).require("value").number();
}

CommRelease read_release(const Json& entry, const Json& factors) {
  CommRelease out;
  out.from = release_number(entry.require("from").string());
  if (const Json* only = entry.find("architecture")) out.architecture = only->string();
  if (entry.find("nvlink2")) out.nvlink2 = quantity_in<Bandwidth>(entry, "nvlink2");
  const Json& hop = entry.require("hop");
  for (const bool tree : {false, true}) {
    const std::string_view algorithm = tree ? "tree" : "ring";
    for (const Protocol protocol : all_protocols) {
      const std::string_view name = to_string(protocol);
      const Json& start = entry.require("start").require(algorithm);
      if (!start.find(name)) continue;
      const auto over = [&](std::string_view link) {
        return quantity_in<Duration>(hop.require(link).require(algorithm), name);
      };
      out.times[tree][static_cast<std::size_t>(protocol)] = {
          quantity_in<Duration>(start, name), over("nvlink"), over("pcie"), over("net"),
          factors.require(algorithm).require(name).number()};
    }
  }
  return out;
}

LibraryNumbers read_library_numbers(const Json& file) {
  LibraryNumbers out;
  for (const Json& entry : file.require("versions").array())
    out.releases.push_back(read_release(entry, file.require("bandwidth_factor")));
  for (const Json& entry : file.require("ll_ceiling_gb_per_s").array()) {
    const auto ceiling = [&](std::string_view nodes) {
      return Bandwidth{1e9 * entry.require(nodes).number()};
    };
    out.ll_ceilings.push_back(
        {entry.require("from").number(), {ceiling("1"), ceiling("2"), ceiling("more")}});
  }
  const Json& plateau = file.require("ring_plateau_factor");
  out.ring_plateau = {plateau.require("earlier").number(), plateau.require("later").number()};
  const Json& correction = file.require("tree_correction");
  out.smallest_correction = Bytes{correction.require("smallest_bytes").number()};
  for (const auto& [name, factors] : correction.require("factors").object()) {
    const auto protocol = std::ranges::find(all_protocols, name, [](Protocol p) { return to_string(p); });
    for (const Json& factor : factors.array())
      out.tree_correction.at(static_cast<std::size_t>(protocol - all_protocols.begin()))
          .push_back(factor.number());
  }
  if (const Json* sigma = file.find("log_sigma"))
    out.log_sigma = {value_in(*sigma, "one_node"), value_in(*sigma, "several_nodes")};
  return out;
}

/// The entry that an entry stands in for ("as"), else itself.
const Json& meant(const Json& all, const Json& entry) {
  const Json* other = entry.find("as");
  return other ? all.require(other->string()) : entry;
}

ByLink values_by_link(const Json& all) {
  ByLink out;
  for (const auto& [name, entry] : all.object())
    out.emplace(name, meant(all, entry).require("value").number());
  return out;
}

ByLink ends_by_link(const Json& all) {
  ByLink out;
  for (const auto& [name, entry] : all.object())
    if (const Json* ends = meant(all, entry).find("ends")) out.emplace(name, ends->number());
  return out;
}

MeasuredLink read_measured(const Json& entry) {
  MeasuredLink out;
  for (const Protocol protocol : all_protocols) {
    const Json* own = entry.find(to_string(protocol));
    if (!own) continue;
    MeasuredProtocol& numbers = out.protocols[static_cast<std::size_t>(protocol)].emplace();
    numbers.start = quantity_in<Duration>(*own, "start");
    const bool whole = protocol != Protocol::ll;
    if (whole || own->find("hop")) numbers.hop = quantity_in<Duration>(*own, "hop");
    if (whole) numbers.factor = own->require("factor").number();
  }
  if (const Json* nvls = entry.find("NVLS")) out.nvls_start = quantity_in<Duration>(*nvls, "start");
  out.chosen_by_library = entry.find("chosen_by_library") != nullptr;
  return out;
}

NetworkSoftware read_network(const Json& entry) {
  NetworkSoftware out;
  out.step = quantity_in<Duration>(entry, "value");
  if (const Json* ring = entry.find("ring")) out.ring_step = quantity_in<Duration>(*ring, "value");
  if (const Json* longer = entry.find("long")) {
    out.handshake = quantity_in<Duration>(*longer, "value");
    out.eager = quantity_in<Bytes>(*longer, "above");
  }
  return out;
}

BySize by_size(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, Bytes{0}};
  return {text.substr(0, colon), parse_quantity<Bytes>(text.substr(colon + 1))};
}

Transport read_transport(const Json& json) {
  ObjectReader in{json};
  Transport t;
  t.endpoints = in.string("endpoints") == "hosts" ? Endpoints::hosts : Endpoints::gpus;
  t.staged = in.boolean_or("staged", false);
  t.network_efficiency = in.number("network_efficiency", 0.01, 1);
  t.tcp_efficiency = in.number("tcp_efficiency", 0.01, 1);
  t.intra = in.quantity<Duration>("intra_hop", false);
  t.inter = in.quantity<Duration>("inter_hop", false);
  t.tcp = in.quantity<Duration>("tcp_hop", false);
  if (in.has("host_reduce")) t.host_reduce = in.quantity<Bandwidth>("host_reduce");
  if (in.has("passes_before")) t.passes_before = in.number("passes_before", 0, 100);
  if (in.has("passes_after")) t.passes_after = in.number("passes_after", 0, 100);
  if (in.has("copies_in_node")) t.copies_in_node = in.number("copies_in_node", 0, 100);
  if (in.has("tcp_stream")) t.tcp_stream = in.quantity<Bandwidth>("tcp_stream");
  if (in.has("stack_rate")) t.stack_rate = in.quantity<Bandwidth>("stack_rate");
  for (const Json& item : in.require("algorithms").array()) t.algorithms.push_back(by_size(item.string()));
  in.string("source");
  (void)in.find("fit");  // cases that the numbers were fitted on: for validation
  in.finish();
  return t;
}

CommSpread read_spread(const Json& file) {
  CommSpread out;
  out.one_node = value_in(file, "one_node");
  out.several_nodes = value_in(file, "several_nodes");
  out.other_library = value_in(file, "other_library");
  for (const Json& entry : file.require("one_node_short").array())
    out.one_node_short.emplace_back(quantity_in<Bytes>(entry, "below"), entry.require("value").number());
  out.by_link = values_by_link(file.require("by_link"));
  return out;
}

Json transports_file() {
  return parse_model_data("collectives/transports.json");
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  constexpr std::array<std::string_view, 3> names{"Simple", "LL", "LL128"};
  return names[static_cast<std::size_t>(protocol)];
}

double release_number(std::string_view text) {
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data() + digit, end, major);
  if (failure == std::errc{} && rest + 1 < end && *rest == '.') std::from_chars(rest + 1, end, minor);
  return major + std::min(minor, 99) / 100.0;
}

std::vector<std::string> comm_transports() {
  std::vector<std::string> names;
  const Json file = transports_file();
  for (const auto& [name, value] : file.require("transports").object()) names.push_back(name);
  return names;
}

LinkNumbers read_links(const Json& file) {
  LinkNumbers out;
  out.efficiency = values_by_link(file.require("efficiency"));
  out.ends = ends_by_link(file.require("efficiency"));
  out.nvls = values_by_link(file.require("nvls"));
  const Json& measured = file.require("protocols");
  for (const auto& [name, entry] : measured.object())
    out.measured.emplace(name, read_measured(meant(measured, entry)));
  for (const auto& [name, entry] : file.require("network_step").object())
    out.network.emplace(name, read_network(entry));
  for (const auto& [name, entry] : file.require("simple_only").object()) out.simple_only.push_back(name);
  out.host_bridge_overhead = value_in(file, "host_bridge_overhead");
  return out;
}

std::shared_ptr<const CommData> shipped_comm_data() {
  auto out = std::make_shared<CommData>();
  // A fork of NCCL is one file and one name.
  for (const std::string_view name : {"nccl", "rccl"})
    out->libraries.emplace(name,
                           read_library_numbers(parse_model_data(fmt::format("collectives/{}.json", name))));
  const Json transports = transports_file();
  for (const auto& [name, entry] : transports.require("transports").object())
    out->transports.emplace(name, read_transport(entry));
  out->links = read_links(parse_model_data("collectives/links.json"));
  out->spread = read_spread(parse_model_data("collectives/spread.json"));
  return out;
}

}  // namespace rackcast
