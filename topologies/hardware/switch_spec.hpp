#pragma once
/// A switch of the catalogue as typed values.
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/known.hpp"
#include "topologies/hardware/link_spec.hpp"

namespace rackcast {

struct SwitchSpec {
  std::string id, name;
  std::string fabric;  ///< "InfiniBand EDR", "Ethernet 100GbE"
  Known<int> ports;    ///< all at port_rate
  Known<Bandwidth> port_rate;
  Known<Duration> latency;  ///< from port to port
  Maybe<Power> max_power, typical_power;
  Maybe<double> rack_units;
  Maybe<Mass> weight;
  Maybe<Money> price;
};

/// Throws Error on an unknown name or a missing port count or rate. An unknown latency counts 500 ns, from
/// memory.
SwitchSpec switch_spec(const Catalog& catalog, std::string_view id);

/// The switches that fit a port: same technology (InfiniBand or Ethernet), port rate at least that of the
/// link; slowest first, then by ports, then by id. Switches for NVLink are not among them.
std::vector<SwitchSpec> switches_for(const Catalog& catalog, const LinkSpec& port);

}  // namespace rackcast
