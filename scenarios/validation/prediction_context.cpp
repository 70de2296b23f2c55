#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/framework_parameters.hpp"
#include "models/gpu_rates_of.hpp"
#include "models/workload.hpp"
#include "scenarios/validation/cluster_of_case.hpp"
#include "scenarios/validation/predictor.hpp"
#include "scenarios/validation/software_of_case.hpp"
#include "scenarios/validation/workload_of_case.hpp"
#include "sim/error.hpp"
#include "topologies/gpu_spec.hpp"

namespace rackcast {

const GpuCostModel& PredictionContext::gpu(const std::string& id, const FrameworkProfile& software) {
  std::unique_ptr<GpuCostModel>& slot = gpus_[{id, software.lowering()}];
  if (!slot) {
    try {
      const GpuSpec spec = gpu_spec(catalog_, id);
      const GpuRates rates = gpu_rates(spec);
      LoweringOptions options = software.lowering();
      // A run cannot have used a library older than its GPU.
      options.library = std::max(options.library, parse_library_generation(spec.line.oldest_cudnn));
      slot = std::make_unique<GpuCostModel>(GpuCostModel::create(rates, options, fitted_));
    } catch (const Error& e) {
      throw Unpredictable{"GPU \"" + id + "\": " + e.message()};
    }
  }
  return *slot;
}

const Cluster& PredictionContext::cluster(const ValidationCase& c) {
  std::unique_ptr<Cluster>& slot = clusters_[cluster_key(c)];
  if (!slot) slot = std::make_unique<Cluster>(cluster_of_case(catalog_, c));
  return *slot;
}

FrameworkProfile PredictionContext::profile(const ValidationCase& c) const {
  FrameworkProfile profile = profile_of(c);
  if (!replaced_ || replaced_->id != profile.id) return profile;
  for (const ProfileParameter& p : profile_parameters()) p.set(profile, p.get(*replaced_));
  profile.log_sigma = replaced_->log_sigma;
  return profile;
}

const Workload& PredictionContext::workload(const ValidationCase& c) {
  std::unique_ptr<Workload>& slot = workloads_[workload_key(c)];
  if (!slot) slot = std::make_unique<Workload>(workload_of_case(c));
  return *slot;
}

}  // namespace rackcast
