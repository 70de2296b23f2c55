#pragma once
/// A kind of link of the catalogue as typed values, per direction.
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

struct LinkSpec {
  std::string id;               ///< "infiniband_4x/edr"
  std::string family;           ///< "infiniband_4x"
  Known<Bandwidth> raw;         ///< after line coding
  Known<Bandwidth> achievable;  ///< after protocol overhead, large messages
  Known<Duration> latency;  ///< one way, small message, adapters included, switches not; RDMA where there is
};

/// `name` is "edr", "gbe25", "nvlink2", "pcie/gen3", "ipoib/edr", "upi_skylake": a group of a file of links/,
/// with the file's name in front where two files have it (alone, a name means RDMA: "edr" rather than
/// "ipoib/edr", RoCE's "gbe100" rather than "tcp/gbe100"). A family without a measured rate falls back on the
/// raw one. Throws Error with near matches.
LinkSpec link_spec(const Catalog& catalog, std::string_view name);

/// Throws Error where a file of links of one's own does not say which family they belong to: it decides on
/// the switches and the software that go with them.
void check_link_family(std::string_view id, const Json& json);

/// PCI Express of a generation with `lanes` lanes (x16 is the measured width; others scale with it).
LinkSpec pcie_spec(const Catalog& catalog, int generation, int lanes);

/// The link of a port: InfiniBand or Ethernet of the nearest catalogued rate, from what the node's file says
/// of it ("InfiniBand EDR ...", 100). Throws Error if no catalogued rate is within 15 %.
LinkSpec port_link_spec(const Catalog& catalog, std::string_view kind, Bandwidth rate);

}  // namespace rackcast
