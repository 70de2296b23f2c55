#pragma once
/// A measured all-reduce curve against the model of the same cluster: by how much latency and load must be
/// multiplied so that the model meets the measurements.
///
///   t(size) = a * latency(size) + b * transfer(size)
///
/// where latency and transfer are the two parts of the unrefined model's time for the plan that it chooses. a
/// and b are found by least squares of ln t (Gauss-Newton); a weak prior of a factor e around 1 decides what
/// the curve leaves open: large sizes alone say nothing about latency.
#include <span>
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;

struct CurvePoint {
  Bytes size{0};
  Duration time{0};
};

struct CommRefinement {
  double latency = 1, load = 1;  ///< a and b
  double log_sigma = 0;          ///< rms of ln(measured/refined) over the curve
  friend auto operator<=>(const CommRefinement&, const CommRefinement&) = default;
};

/// Finds a, b and the spread. Throws Error for fewer than four sizes, which do not determine them.
CommRefinement refine(const Cluster& cluster, const CommSpec& spec, std::span<const CurvePoint> curve);

}  // namespace rackcast
