#pragma once
/// Arithmetic, framework, optimizer and length of a case's run.
#include "models/frameworks/framework.hpp"
#include "models/networks/operator.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// Results of MLPerf Training state no precision: whether that of NVIDIA's implementation is taken
/// (mlperf_training.hpp).
bool precision_is_taken(const ValidationCase& c);
/// Throws Unpredictable when it is not stated or has no model.
Precision precision_of(const ValidationCase& c);
FrameworkProfile profile_of(const ValidationCase& c, std::string_view first_container = {});

/// Stated, or by custom: attention is trained with Adam or its relatives, everything else with momentum.
bool trains_with_adam(const ValidationCase& c, const Workload& workload);

/// Samples that a time to train or an epoch is over. Throws Unpredictable when it cannot be told.
double samples_of(const ValidationCase& c);

}  // namespace rackcast
