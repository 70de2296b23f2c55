#include "topologies/hardware/switch_spec.hpp"

#include <algorithm>
#include <tuple>

#include "topologies/catalog/limits.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {

SwitchSpec switch_spec(const Catalog& catalog, std::string_view id) {
  const CatalogEntry& entry = catalog.find("switches", id);
  const SpecReader reader{entry};
  SwitchSpec spec;
  spec.id = entry.id;
  spec.name = entry.name;
  spec.fabric = entry.attribute("fabric");
  spec.ports = reader.require(reader.count("ports", 2, limits::ports), "ports");
  spec.port_rate =
      reader.require(reader.first_quantity<Bandwidth>({"port_gbit_per_s", "port_gb_per_s_per_direction"}),
                     "port_gbit_per_s");
  const Known<Duration> typical{Duration{500e-9}, Confidence::memory,
                                "typical store-and-forward switch, from memory",
                                "switches/" + entry.id + "/latency_ns"};
  const auto latency = reader.quantity<Duration>("latency_ns");
  spec.latency = latency ? *latency : typical;
  spec.max_power = reader.quantity<Power>("max_power_w");
  spec.typical_power = reader.quantity<Power>("typical_power_w");
  spec.rack_units = reader.number("rack_units");
  spec.weight = reader.quantity<Mass>("weight_kg");
  spec.price = reader.quantity<Money>("list_price_usd");
  return spec;
}

std::vector<SwitchSpec> switches_for(const Catalog& catalog, const LinkSpec& port) {
  const bool infiniband = port.family == "infiniband_4x" || port.family == "ipoib";
  const std::string_view technology = infiniband ? "InfiniBand" : "Ethernet";
  std::vector<SwitchSpec> found;
  for (const std::string& id : catalog.ids("switches")) {
    SwitchSpec spec = switch_spec(catalog, id);
    // 1 %: a port of 56 Gbit/s is sold for a link that carries 54.5.
    if (spec.fabric.starts_with(technology) && *spec.port_rate >= *port.raw * 0.99)
      found.push_back(std::move(spec));
  }
  std::ranges::stable_sort(found, [](const SwitchSpec& a, const SwitchSpec& b) {
    return std::tuple{*a.port_rate, *a.ports, a.id} < std::tuple{*b.port_rate, *b.ports, b.id};
  });
  return found;
}

}  // namespace rackcast
