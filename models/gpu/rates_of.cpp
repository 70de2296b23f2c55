#include "models/gpu/rates_of.hpp"

#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

const ArchitectureSpec& architecture_of(const GpuRates& gpu) {
  if (gpu.line) return *gpu.line;
  if (const ArchitectureSpec* known = builtin_architecture(gpu.architecture)) return *known;
  throw Error{"nobody described the GPU architecture \"" + gpu.architecture + "\"",
              {},
              "`rackcast catalog list architectures` shows those that are"};
}

GpuRates gpu_rates(const GpuSpec& spec) {
  if (!spec.sm_count || !spec.peak.fp32)
    throw Error{"the catalogue lacks the SM count or the fp32 rate of GPU \"" + spec.id + "\""};
  GpuRates out;
  out.name = spec.id;
  out.architecture = spec.architecture;
  out.line = std::make_shared<const ArchitectureSpec>(spec.line);
  out.sm_count = spec.sm_count->value;
  out.fp32 = spec.peak.fp32->value;
  out.fp16 = value_or(spec.peak.fp16, FlopRate{0});
  out.fp16_tensor = value_or(spec.peak.fp16_tensor, FlopRate{0});
  out.bf16_tensor = value_or(spec.peak.bf16_tensor, FlopRate{0});
  out.tf32_tensor = value_or(spec.peak.tf32_tensor, FlopRate{0});
  out.fp8_tensor = value_or(spec.peak.fp8_tensor, FlopRate{0});
  out.fp4_tensor = value_or(spec.peak.fp4_tensor, FlopRate{0});
  out.int8 = value_or(spec.peak.int8, FlopRate{0});
  out.int8_tensor = value_or(spec.peak.int8_tensor, FlopRate{0});
  out.memory = spec.memory_bandwidth.value;
  out.l2 = value_or(spec.l2, Bytes{0});
  out.tdp = value_or(spec.tdp, Power{0});
  return out;
}

}  // namespace rackcast
