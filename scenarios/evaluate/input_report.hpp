#pragma once
/// The way of the data of one workload: what it reads and caches.
#include <vector>

#include "models/data_path/checkpoint.hpp"
#include "models/data_path/funnel.hpp"
#include "models/data_path/page_cache.hpp"
#include "models/step/training.hpp"

namespace rackcast {

/// Epochs that run alike, and their steady step.
struct PhaseRun {
  EpochPhase phase;
  TrainingRun run;
};

/// What reads, caches and writes of one workload come to.
struct InputReport {
  CacheSpec cache;
  Funnel funnel;  ///< of the coldest epochs
  std::vector<PhaseRun> phases;
  Bytes sample{0};         ///< stored
  Bandwidth required{0};   ///< from storage, to keep the GPUs busy in the coldest epochs
  Bandwidth available{0};  ///< what the storage can deliver of such samples
  Bytes checkpoint{0};     ///< 0: none is written
  WriteCost writes;
};

}  // namespace rackcast
