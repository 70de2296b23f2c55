#include "models/data_path/checkpoint.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

Bytes checkpoint_bytes(double parameters, Precision precision, Optimizer optimizer) {
  const double state = optimizer == Optimizer::adam ? 8 : 4;
  double weights = 4;
  if (precision == Precision::fp16) weights = 2;
  if (precision == Precision::mixed || precision == Precision::bf16 || precision == Precision::fp8 ||
      precision == Precision::fp4)
    weights = 6;
  return Bytes{parameters * (weights + state)};
}

WriteCost write_cost(const WriteBack& job, const StorageSystem& storage, Duration step) {
  if (job.writers < 1) throw Error{"a checkpoint is written by at least one node"};
  WriteCost cost;
  if (job.log_per_step > Bytes{0} && step > Duration{0}) cost.background += job.log_per_step / step;
  if (!(job.every > Duration{0}) || !(job.checkpoint > Bytes{0})) return cost;
  Bandwidth rate = write_rate(storage, job.writers);
  if (job.network > Bandwidth{0} && !storage.local()) rate = std::min(rate, job.writers * job.network);
  cost.write = job.checkpoint / rate;
  cost.stall = cost.write;
  if (job.asynchronous) {
    cost.stall = job.to_host > Bandwidth{0} ? job.checkpoint / (job.writers * job.to_host) : Duration{0};
    if (cost.write > job.every) {
      throw Error{"a checkpoint of " + to_text(job.checkpoint) + " takes " + to_text(cost.write) +
                      " to write, longer than the " + to_text(job.every) + " to the next",
                  {},
                  "write less often, or buy storage that writes faster",
                  ErrorKind::infeasible};
    }
  }
  cost.time_factor = 1 + cost.stall / job.every;
  cost.background += job.checkpoint / job.every;
  return cost;
}

}  // namespace rackcast
