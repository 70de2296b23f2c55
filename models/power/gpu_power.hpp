#pragma once
/// Power of a GPU while it trains, and its speed under a power cap.
///
/// Power over a step: P(u) = L (floor + (busy - floor) u), u the fraction of the time in which kernels run, L
/// the limit of the board. The ends are measured; that it is a line between them is assumed.
///
/// Under a cap C < P(1) the clock falls. Dynamic power goes with the cube of the clock, roughly, so
///
///   speed(C) = ((C - P0) / (P(1) - P0))^k,   P0 = static_fraction L,
///
/// with k near 1/3, less where memory binds. P0 and k are fitted per device on Zeus (You et al., NSDI 2023)
/// by calibrate/fit/power_fit.hpp. Caps below the lowest measured one are refused.
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct GpuSpec;

struct GpuPowerModel {
  std::string device;     ///< that was measured: "V100", or "pooled"
  bool borrowed = false;  ///< the GPU itself was not measured
  double floor_fraction = 0, busy_fraction = 1, static_fraction = 0, speed_exponent = 0;
  double busy_log_sigma = 0, speed_log_sigma = 0;
  double lowest_cap = 0;  ///< that was measured, of the limit
};

/// The model of the GPU itself, else of the measured one of its architecture, else the pooled one.
GpuPowerModel gpu_power_model(const GpuSpec& gpu);

/// Mean power of a board of this limit whose kernels run in the fraction `busy` of the time. A cap counts
/// while they run.
Power gpu_power(const GpuPowerModel& model, Power limit, double busy, Power cap);

/// Rate of the kernels under the cap over that without, in (0, 1]. Throws Error below the lowest cap
/// measured.
double capped_speed(const GpuPowerModel& model, Power limit, Power cap);

}  // namespace rackcast
