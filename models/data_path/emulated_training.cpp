#include "models/data_path/emulated_training.hpp"

#include <algorithm>

#include "models/data_files.hpp"
#include "models/data_path/starvation.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

EmulatedWorkload emulated_workload(std::string_view name, std::string_view accelerator) {
  const Json file = parse_model_data("data_path/emulated_workloads.json");
  ObjectReader in{file.require("workloads").require(name)};
  ObjectReader compute{in.require("compute")};
  EmulatedWorkload out;
  out.job.batch = in.number("batch", 1, 1e6);
  out.job.compute = compute.quantity<Duration>(accelerator);
  out.job.overhead = in.quantity<Duration>("overhead");
  out.job.readers = static_cast<int>(in.integer("readers", 1, 1000));
  out.sample = in.quantity<Bytes>("sample");
  return out;
}

double accelerator_utilisation(const EmulatedTraining& job, const StorageSystem& storage,
                               const ReadLoad& load) {
  if (!(job.compute > Duration{0}) || !(job.batch > 0) || !(job.accelerators > 0))
    throw Error{"emulated training needs accelerators, a batch and a compute time"};
  const Duration busy = job.compute + job.overhead,
                 fed = job.accelerators * job.batch / read_rate(storage, load);
  const double steady = job.compute / std::max(busy, fed);
  if (job.readers <= 0) return steady;
  const double varying = job.compute / busy * fed_fraction(1 / fed.base(), 1 / busy.base(), job.readers);
  return steady + (varying - steady) / std::max(1.0, job.batch);
}

}  // namespace rackcast
