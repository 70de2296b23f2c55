#pragma once
/// Memory of a node (DRAM) that a training job leaves to the page cache.
#include "sim/units/quantity.hpp"

namespace rackcast {

struct HostMemoryUse {
  int gpus = 1;             ///< processes, one per GPU
  Bytes decoded_batch{0};   ///< one batch of one GPU as it lies in pinned memory
  int prefetch = 2;         ///< batches kept ready per GPU
  Bytes shuffle_buffer{0};  ///< of one process
};

/// dram - system - GPUs x (process + prefetch x batch + shuffle buffer); zero if nothing is left. Process and
/// system shares: models/data/data_path/host_memory.json.
Bytes page_cache_size(Bytes dram, const HostMemoryUse& use);

}  // namespace rackcast
