#pragma once
/// Arithmetic, framework, optimizer and length of a case's run.
#include "models/frameworks/framework.hpp"
#include "models/networks/operator.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

class Catalog;

/// Results of MLPerf Training state no precision: whether that of NVIDIA's implementation is taken
/// (mlperf_training.hpp).
bool precision_is_taken(const ValidationCase& c);
/// Throws Unpredictable when it is not stated or has no model.
Precision precision_of(const ValidationCase& c);
/// What the case says of its software; of a GPU that needs newer software, that of its first container.
FrameworkQuery software_of_case(const ValidationCase& c, std::string_view first_container = {});
/// Throws Unpredictable where it is not stated whether XLA compiled the operators, and the settings that were
/// usual (usual_settings.json) say that it matters: put together from simple ones, in 32 bits, they make a
/// mixed training half as fast.
void require_compiler(const ValidationCase& c);
/// Throws Unpredictable for software without a profile, and as require_compiler().
FrameworkProfile profile_of(const Catalog& catalog, const ValidationCase& c);

/// Whether the optimizer is Adam or a relative, where the case states it.
std::optional<bool> states_adam(const ValidationCase& c);
/// Stated, or by custom: attention is trained with Adam or its relatives, everything else with momentum.
bool trains_with_adam(const ValidationCase& c, const Workload& workload);

/// What a time to train or an epoch is over.
struct RunLength {
  double samples = 0;  ///< of an epoch
  double epochs = 1;

  [[nodiscard]] double all_samples() const { return samples * epochs; }
};
/// Throws Unpredictable when it cannot be told.
RunLength length_of_run(const ValidationCase& c);

}  // namespace rackcast
