#pragma once
/// The time of recorded kernels on the GPU of a cluster; the rule is in replay.hpp.
#include <optional>

#include "models/gpu/cost.hpp"
#include "models/recorded/recorded_step.hpp"
#include "models/recorded/replay.hpp"

namespace rackcast {

/// What a cost model says of the work of recorded kernels.
class WorkOn {
 public:
  WorkOn(const GpuCostModel& gpu, Precision precision) : gpu_{gpu}, precision_{precision} {}

  /// Of a kernel that says no more than its name.
  [[nodiscard]] Duration typical(bool matrix) const;
  /// Of counted work. A cube of the same volume stands for a product of any shape.
  [[nodiscard]] Duration counted(const RecordedTask& task) const;

 private:
  const GpuCostModel& gpu_;
  Precision precision_;
};

class ReplayedKernels {
 public:
  explicit ReplayedKernels(const ReplaySpec& spec);
  [[nodiscard]] Duration time(const RecordedTask& task) const;

 private:
  WorkOn here_;
  std::optional<WorkOn> there_;
  double typical_[2] = {1, 1};  ///< of passes over memory and of matrix products: time here / time there
  double scale_;
};

/// Standard deviation of ln(measured/replayed) of the kernels: small where they were measured on this GPU;
/// else each of the two GPUs is as well known as its model.
double replayed_log_sigma(const RecordedStep& step, const ReplaySpec& spec);

}  // namespace rackcast
