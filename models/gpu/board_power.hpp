#pragma once
/// What a board's power limit allows products on matrix units, carried from one board to another.
#include "models/gpu/rates.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct KernelParameters;

/// One multiprocessor's part of what a board can do and may draw; 0: not known.
struct SmLimits {
  FlopRate peak{0};  ///< of the matrix units, in one arithmetic
  Power power{0};
  Bandwidth memory{0};
};
SmLimits sm_limits(const GpuRates& gpu, Arithmetic arithmetic);

/// Changes `parameters` from those of products on the board `from` to those on the board `to`, of the same
/// architecture.
///
/// Power grows with the square of the rate (frequency times a voltage that falls with it, down to its
/// floor), so an SM that has half of the watts does 0.71 of the work; a board whose matrix units are slower
/// by design is limited less. A byte from memory takes the same energy on both. Nothing changes where peak
/// or power are not known.
void carry_power(KernelParameters& parameters, const SmLimits& from, const SmLimits& to);

}  // namespace rackcast
