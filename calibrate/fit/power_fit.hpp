#pragma once
/// Fits models/power/gpu_power.hpp on measured epochs of networks under power limits (calibrate/data/power).
#include <string>
#include <vector>

namespace rackcast {

struct PowerFit {
  std::string device;
  double limit_w = 0;  ///< the highest of the data: the board's own
  double floor_fraction = 0, busy_fraction = 0, static_fraction = 0, speed_exponent = 0;
  double busy_log_sigma = 0, speed_log_sigma = 0, lowest_cap = 0;
  int rows = 0;                                  ///< capped epochs that were fitted
  double held_out_busy = 0, held_out_speed = 0;  ///< median |predicted / measured - 1|
};

/// Fits each device of calibrate/data/power/zeus.csv, in the order of their names. For a given P0, the
/// exponent follows by least squares on ln(speed); P0 is the best of all whole watts below the lowest cap.
/// Throws Error on an ill-formed table, or a device without the networks that the fit needs.
std::vector<PowerFit> fit_gpu_power();

/// The text of models/data/power/gpus.json: the devices and, from their means and spreads, the pooled model.
std::string gpu_power_file(const std::vector<PowerFit>& fits);

}  // namespace rackcast
