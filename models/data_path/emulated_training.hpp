#pragma once
/// Utilisation of emulated accelerators that only read data and sleep, as DLIO and MLPerf Storage measure it.
///
/// Each accelerator takes a batch, sleeps for the compute time, takes the next; loaders fill a queue
/// meanwhile. A step therefore takes the longer of compute (plus what the framework adds to every batch) and
/// the accelerators' common share of the storage:
///
///   utilisation = compute / max(compute + overhead, accelerators x batch / storage rate)
///
/// if every read takes its mean time. Reads vary. With `readers` samples in flight for each accelerator, a
/// batch of one waits as in the queue of starvation.hpp, which is the far end; the mean of `batch` samples
/// varies with 1/batch of that variance, and waiting grows in proportion to variance (Kingman's formula,
/// Gross & Harris, "Fundamentals of Queueing Theory", 7.1), so 1/batch of the way to the far end is gone.
#include <string_view>

#include "models/data_path/storage_system.hpp"

namespace rackcast {

struct EmulatedTraining {
  double accelerators = 1, batch = 1;
  Duration compute{0};   ///< of one batch
  Duration overhead{0};  ///< of the framework, per batch
  int readers = 0;       ///< samples in flight of each accelerator; 0: reads take their mean time
};

/// A workload of MLPerf Storage v1.0 on one emulated accelerator ("A100", "H100"), from
/// models/data/data_path/emulated_workloads.json. Throws Error for a name that is not there.
struct EmulatedWorkload {
  EmulatedTraining job;  ///< of one accelerator
  Bytes sample{0};       ///< stored
};
EmulatedWorkload emulated_workload(std::string_view name, std::string_view accelerator);

/// In (0, 1]. Throws Error for a compute time, batch or number of accelerators that is not positive.
double accelerator_utilisation(const EmulatedTraining& job, const StorageSystem& storage,
                               const ReadLoad& load);

}  // namespace rackcast
