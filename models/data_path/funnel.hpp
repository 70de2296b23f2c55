#pragma once
/// The input path as a funnel: how many samples per second each stage could pass if it were alone, from
/// storage to the GPU's arithmetic. The narrowest stage binds; the ratio of the next one to it says how much
/// is gained by widening the first before the second takes over.
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
  std::size_t binds = 0;            ///< the narrowest
  std::size_t next = 0;             ///< the narrowest of the others; the same as `binds` if there is one only
  [[nodiscard]] double headroom() const { return stages.at(next).rate / stages.at(binds).rate; }
};

/// `spec` with its input path, and the rate of the same training without one (GPU arithmetic and gradient
/// exchange). Stages of the same name and rate are one.
Funnel input_funnel(const Cluster& cluster, const TrainingSpec& spec, Frequency without_input);

}  // namespace rackcast
