#pragma once
/// Defaults for keys that a scenario may leave out, each with its reason. Each default that is used is listed
/// among the assumptions of the result.
#include "models/networks/operator.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast::defaults {

/// Passes over the training set, and bytes of one stored image. Both come from taking the published fleet
/// table apart: 104 TB / 0.113 MB = 920 million images; at 142 images/s (Inception-v3, fp32, one P100:
/// TensorFlow benchmarks, May 2017) one pass takes 75 days, and 9.1 years are 44 passes. 0.113 MB is the mean
/// size of an ImageNet training JPEG (about 145 GB / 1,281,167 images).
inline constexpr double epochs = 44;
inline constexpr Bytes bytes_per_sample{0.113e6};
inline constexpr const char* fleet_table_source =
    "implied by the published fleet table (NVIDIA, \"Training AI for Self-Driving Vehicles: the Challenge of "
    "Scale\"): 104 TB in 9.1 years on one Pascal GPU at 142 images/s";

/// Images per GPU and step of the TensorFlow 1.x benchmark runs (tensorflow.org/performance/benchmarks,
/// 2017).
inline constexpr double batch_per_gpu = 64;
inline constexpr Precision precision = Precision::fp32;

/// Where the search gives up. A bound of the search, not of the hardware.
inline constexpr int max_nodes = 1024;

}  // namespace rackcast::defaults
