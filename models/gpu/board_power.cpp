#include "models/gpu/board_power.hpp"

#include <cmath>

#include "models/gpu/kernel.hpp"
#include "models/gpu/model_library.hpp"

namespace rackcast {

SmLimits sm_limits(const GpuRates& gpu, Arithmetic arithmetic) {
  if (gpu.sm_count < 1) return {};
  const double sms = gpu.sm_count;
  return {matrix_peak(gpu, arithmetic) / sms, gpu.tdp / sms, gpu.memory / sms};
}

void carry_power(KernelParameters& parameters, const SmLimits& from, const SmLimits& to) {
  if (!(from.peak > FlopRate{0}) || !(from.power > Power{0}) || !(to.peak > FlopRate{0}) ||
      !(to.power > Power{0}))
    return;
  parameters[KernelParameter::power_fraction] *= from.peak / to.peak * std::sqrt(to.power / from.power);
  if (from.memory > Bandwidth{0} && to.memory > Bandwidth{0})
    parameters.traffic_power *= to.memory / from.memory * (from.power / to.power);
}

}  // namespace rackcast
