#include "models/power/gpu_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

namespace {

GpuPowerModel read_model(const Json& json) {
  const auto value = [&json](const char* key) {
    return json.require(key).number();
  };
  GpuPowerModel model;
  model.device = json.require("device").string();
  model.floor_fraction = value("floor_fraction");
  model.busy_fraction = value("busy_fraction");
  model.static_fraction = value("static_fraction");
  model.speed_exponent = value("speed_exponent");
  model.busy_log_sigma = value("busy_log_sigma");
  model.speed_log_sigma = value("speed_log_sigma");
  model.lowest_cap = value("lowest_cap");
  return model;
}

}  // namespace

GpuPowerModel gpu_power_model(const GpuSpec& gpu) {
  const Json data = parse_model_data("power/gpus.json");
  const Json* of_architecture = nullptr;
  for (const Json& one : data.require("devices").array()) {
    if (gpu.id.starts_with(one.require("gpus").string())) return read_model(one);
    if (gpu.architecture == one.require("architecture").string()) of_architecture = &one;
  }
  const Json& pooled = data.require("pooled");
  GpuPowerModel model = read_model(of_architecture ? *of_architecture : pooled);
  model.borrowed = true;
  // Another chip differs from the measured one as the measured ones differ from each other.
  model.busy_log_sigma = std::max(model.busy_log_sigma, pooled.require("busy_log_sigma").number());
  model.speed_log_sigma = std::max(model.speed_log_sigma, pooled.require("speed_log_sigma").number());
  return model;
}

Power gpu_power(const GpuPowerModel& model, Power limit, double busy, Power cap) {
  const Power top = std::min(model.busy_fraction * limit, cap);
  const Power floor = std::min(model.floor_fraction * limit, top);
  return floor + std::clamp(busy, 0.0, 1.0) * (top - floor);
}

double capped_speed(const GpuPowerModel& model, Power limit, Power cap) {
  const Power busy = model.busy_fraction * limit, fixed = model.static_fraction * limit;
  if (cap < model.lowest_cap * limit) {
    throw Error{fmt::format("a cap of {} is below what was measured: {} of the {} of this GPU", to_text(cap),
                            to_text(model.lowest_cap * limit), to_text(limit)),
                {},
                fmt::format("cap it at {} or more", to_text(model.lowest_cap * limit))};
  }
  if (cap >= busy) return 1;
  return std::pow((cap - fixed) / (busy - fixed), model.speed_exponent);
}

}  // namespace rackcast
