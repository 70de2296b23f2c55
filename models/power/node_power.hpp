#pragma once
/// Electrical power that a node takes from the grid, as a function of how busy its GPUs are.
///
///   P = (n P_gpu(u) + P_host(u)) / efficiency,   P_host(u) = idle + load (rated - idle) u.
///
/// P_gpu(u) is the power of one of the n GPUs, u the fraction of the time in which kernels run. The power of
/// the host (CPUs, memory, adapters, drives, fans), rated or idle, is that of the node without its GPUs;
/// `load` is fitted (models/data/power/host.json). Ratings are electrical input, so the efficiency of the
/// power supplies is taken out of them first and put back in at the end: another class of supply then changes
/// the sum.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/power/gpu_power.hpp"
#include "sim/units/quantity.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

class Catalog;
struct NodeSpec;

/// 80 PLUS classes as the catalogue has them (facility/electrical), at half load.
enum class PsuClass { gold, platinum, titanium };
std::string_view to_string(PsuClass);
PsuClass parse_psu_class(std::string_view name);  ///< Error with the known ones
double psu_efficiency(const Catalog& catalog, PsuClass psu);

/// Power of one node. If the catalogue has no rating, `known` is false and the other members mean nothing.
struct NodePower {
  bool known = false;
  Power rated{0};    ///< nameplate
  Power typical{0};  ///< while it trains: the catalogue's, else 0.76 of the rating
  Power idle{0};
  GpuPowerModel gpu;
  Power gpu_limit{0};
  int gpus = 0;
  Power host_rated{0}, host_idle{0};  ///< behind the power supply
  double host_load = 0;
  double log_sigma = 0;  ///< spread of ln of the node's power that at() returns, host and GPUs together
  double efficiency = 1, rated_efficiency = 1;

  struct At {
    Power wall{0}, gpus{0}, host{0}, psu_loss{0};
  };
  /// With the GPUs' kernels running in the fraction `busy` of the time, each GPU capped.
  [[nodiscard]] At at(double busy, Power cap) const;
};

/// Ratings are taken as those of a node with supplies of the class `platinum`, the class of the DGX systems.
NodePower node_power(const Catalog& catalog, const NodeSpec& node, PsuClass psu = PsuClass::platinum);

/// 0.76 of a rating, for equipment without a typical power.
Power typical_of(Power rated);

}  // namespace rackcast
