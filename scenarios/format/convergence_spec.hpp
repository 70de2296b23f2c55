#pragma once
/// The "convergence" of a workload: how its epochs change with the batch and the staleness of a candidate.
#include <string>

#include "models/exchange/convergence.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

struct WorkloadSpec;

struct ConvergenceSpec {
  ConvergenceLaw law;
  std::string source;  ///< of its numbers; empty: the scenario says none
  Where where;
};

/// Throws Error at the place of a bad value.
ConvergenceSpec read_convergence(const Json& json);

/// Steps by which gradients are late at a global batch of `batch` samples; 0 of a single GPU, which knows its
/// own at once.
double staleness_of(const WorkloadSpec& workload, double batch);

/// Epochs at a global batch of `batch` samples: those of the scenario, or by its law where it has one.
double epochs_at(const WorkloadSpec& workload, double batch);

}  // namespace rackcast
