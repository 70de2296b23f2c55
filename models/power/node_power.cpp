#include "models/power/node_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/data_files.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 3> psu_names{"gold", "platinum", "titanium"};

double host_fact(std::string_view key) {
  return parse_model_data("power/host.json").require(key).require("value").number();
}

}  // namespace

std::string_view to_string(PsuClass psu) {
  return psu_names.at(static_cast<std::size_t>(psu));
}

PsuClass parse_psu_class(std::string_view name) {
  const auto* found = std::ranges::find(psu_names, name);
  if (found == psu_names.end()) {
    throw Error{
        fmt::format("there is no class of power supply \"{}\"", name), {}, "gold, platinum, titanium"};
  }
  return static_cast<PsuClass>(found - psu_names.begin());
}

double psu_efficiency(const Catalog& catalog, PsuClass psu) {
  return catalog.find("facility", "electrical")
      .require(fmt::format("psu_{}_efficiency", to_string(psu)))
      .number();
}

Power typical_of(Power rated) {
  return host_fact("typical_fraction") * rated;
}

NodePower node_power(const Catalog& catalog, const NodeSpec& node, PsuClass psu) {
  NodePower out;
  if (!node.max_power || !node.gpu.tdp) return out;
  out.known = true;
  out.rated = node.max_power->value;
  out.typical = node.typical_power ? node.typical_power->value : typical_of(out.rated);
  out.gpu = gpu_power_model(node.gpu);
  out.gpu_limit = node.gpu.tdp->value;
  out.gpus = node.gpus;
  out.efficiency = psu_efficiency(catalog, psu);
  out.rated_efficiency = psu_efficiency(catalog, PsuClass::platinum);
  out.host_load = host_fact("host_training_load");
  out.log_sigma = std::hypot(host_fact("node_log_sigma"), out.gpu.busy_log_sigma);
  const Power gpus = node.gpus * out.gpu_limit;
  out.host_rated = std::max(Power{0}, out.rated_efficiency * out.rated - gpus);
  const Power gpu_idle = node.gpus * value_or(node.gpu.idle_power, Power{0});
  out.host_idle = node.idle_power
                      ? std::max(Power{0}, out.rated_efficiency * node.idle_power->value - gpu_idle)
                      : host_fact("idle_fraction") * out.host_rated;
  out.host_idle = std::min(out.host_idle, out.host_rated);
  out.idle = (out.host_idle + gpu_idle) / out.efficiency;
  return out;
}

NodePower::At NodePower::at(double busy, Power cap) const {
  const double u = std::clamp(busy, 0.0, 1.0);
  At out;
  out.gpus = gpus * gpu_power(gpu, gpu_limit, u, cap);
  out.host = host_idle + host_load * u * (host_rated - host_idle);
  out.wall = (out.gpus + out.host) / efficiency;
  out.psu_loss = out.wall - out.gpus - out.host;
  return out;
}

}  // namespace rackcast
