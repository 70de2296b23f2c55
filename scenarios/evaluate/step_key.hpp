#pragma once
/// What a simulated step is remembered by: everything that builds it.
#include <string>

#include "models/step/training.hpp"

namespace rackcast {

/// A text that differs where two steps on the same cluster, of the same network and software, differ. It
/// holds every member of the spec that is a number, a choice or a name; the cluster, the network, the
/// software, the limits and, folded, the number of steps are the caller's. A member that is added to one of
/// the structures and forgotten here does not compile.
std::string step_key(const TrainingSpec& spec);

}  // namespace rackcast
