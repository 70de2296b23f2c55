#pragma once
/// Funnel: the stages of the input path, from storage to the arithmetic of the GPU, each with the samples per
/// second that it could pass if it were alone. The slowest stage binds. The rate of the second slowest over
/// its rate is the gain that a faster slowest stage can bring.
#include <string>
#include <vector>

#include "models/step/training.hpp"

namespace rackcast {

struct FunnelStage {
  std::string what;           ///< for people: "storage read", "PCIe", "GPU compute"
  Frequency rate{0};          ///< samples per second of the whole cluster
  bool of_input = false;      ///< storage, caches and cores, whose rate is as uncertain as the input path
  Frequency low{0}, high{0};  ///< 90 % interval; both 0: not known, or a link's listed rate
};

struct Funnel {
  std::vector<FunnelStage> stages;  ///< in the order in which a sample meets them
  std::size_t binds = 0;            ///< the slowest
  std::size_t next = 0;             ///< the slowest of the others; the same as `binds` if there is only one
  [[nodiscard]] double headroom() const { return stages.at(next).rate / stages.at(binds).rate; }
};

/// `spec` with its input path, and the rate of the same training without one (GPU arithmetic and gradient
/// exchange). Stages of the same name and rate are one.
Funnel input_funnel(const Cluster& cluster, const TrainingSpec& spec, Frequency without_input);

}  // namespace rackcast
