#pragma once
/// Bytes that a training job writes to storage: checkpoints and logs.
///
/// A checkpoint holds what the optimizer needs to go on: fp32 weights and its state (momentum 4, Adam 8 bytes
/// per parameter), in 16-bit training the 16-bit weights besides; a pure 16-bit run ("fp16") keeps 16-bit
/// weights and no fp32 copy. A trillion parameters in mixed precision with Adam: 2 + 4 + 8 = 14 B each, 14 TB
/// (Narayanan et al., SC 2021, section 5.10: 13.8 TB).
#include "models/data_path/storage_system.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/operator.hpp"

namespace rackcast {

Bytes checkpoint_bytes(double parameters, Precision precision, Optimizer optimizer);

struct WriteBack {
  Bytes checkpoint{0};
  Duration every{0};  ///< between checkpoints; 0: none
  Bytes log_per_step{0};
  int writers = 1;            ///< nodes that write a part each
  Bandwidth network{0};       ///< what one node can send; 0: no limit
  bool asynchronous = false;  ///< copied to host memory first, written while training goes on
  Bandwidth to_host{0};       ///< that copy, of one node; 0: takes no time
};

struct WriteCost {
  Duration write{0};        ///< one checkpoint on the storage
  Duration stall{0};        ///< time for which each checkpoint stops training
  double time_factor = 1;   ///< factor on the training time
  Bandwidth background{0};  ///< mean write rate, logs included: taken from the storage beside the reads
  int writers = 1;          ///< nodes that write a part each
  double busiest = 1;       ///< share of the checkpoint that the busiest writer writes
};

/// The slower of storage and the writers' ports sets the pace; a synchronous write stalls training, an
/// asynchronous one only for the copy to the host, unless the write outlasts the interval. Throws Error if an
/// asynchronous checkpoint is not finished before the next begins, and if there are no writers.
WriteCost write_cost(const WriteBack& job, const StorageSystem& storage, Duration step);

}  // namespace rackcast
