#include "models/data_path/emulated_training.hpp"

#include <algorithm>

#include "sim/error.hpp"

namespace rackcast {

double accelerator_utilisation(const EmulatedTraining& job, const StorageSystem& storage,
                               const ReadLoad& load) {
  if (!(job.compute > Duration{0}) || !(job.batch > 0) || !(job.accelerators > 0))
    throw Error{"emulated training needs accelerators, a batch and a compute time"};
  const Duration fed = job.accelerators * job.batch / read_rate(storage, load);
  return job.compute / std::max(job.compute + job.overhead, fed);
}

}  // namespace rackcast
