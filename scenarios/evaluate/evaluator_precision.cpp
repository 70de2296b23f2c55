#include <algorithm>

#include "models/gpu/precision_support.hpp"
#include "models/gpu/rates_of.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"

namespace rackcast {

std::optional<Error> Evaluator::Impl::refused(const ClusterSpec& cluster, const WorkloadSpec& w) {
  const GpuSpec& spec = node(cluster).gpu;
  auto it = trains_in.find(spec.id);
  if (it == trains_in.end())
    it = trains_in.emplace(spec.id, supported_precisions(gpu_rates(spec), PrecisionUse::training)).first;
  if (std::ranges::find(it->second, w.precision) != it->second.end()) return std::nullopt;
  const auto why =
      rackcast::precision_refusal(gpu_rates(spec), spec.name, w.precision, PrecisionUse::training);
  return Error{why.message, w.precision_where, why.hint};
}

}  // namespace rackcast
