#pragma once
/// A GPU of the catalogue as typed values.
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/known.hpp"
#include "topologies/hardware/architecture_spec.hpp"

namespace rackcast {

/// One GPU as the operating system counts it. A board with two GPUs (K80, MI250X) is given as one half of the
/// board: rates, memory, power and price are divided by `per_board`.
///
/// Peak rates are dense; a multiply-add counts two. `int8` counts operations as FLOP.
struct GpuSpec {
  std::string id, name, architecture;
  ArchitectureSpec line;     ///< what the architecture's entry says
  bool jpeg_engine = false;  ///< decodes JPEG in an engine of its own
  int per_board = 1;         ///< GPUs on what is bought as one

  struct Peak {
    Maybe<FlopRate> fp64, fp32, fp16;  ///< vector units
    Maybe<FlopRate> tf32_tensor, fp16_tensor, bf16_tensor, fp8_tensor, fp4_tensor;
    Maybe<FlopRate> int8;  ///< tensor cores, or dot-product instructions before them
    Maybe<FlopRate> int8_tensor;
  } peak;

  Known<Bytes> memory;                ///< marketing capacity, decimal
  Maybe<Bytes> usable_memory;         ///< as the driver reports it
  Known<Bandwidth> memory_bandwidth;  ///< pin rate
  Maybe<Bytes> l2;
  Maybe<int> sm_count;  ///< streaming multiprocessors or compute units
  Maybe<Frequency> boost_clock;
  Maybe<Power> tdp, idle_power;

  Maybe<int> nvlink_generation, nvlink_links;
  Maybe<Bandwidth> bridge_per_direction;  ///< NVLink bridge between two PCIe cards
  Maybe<int> pcie_generation, pcie_lanes;

  Maybe<Money> price;  ///< at launch

  /// What a program finds: as the driver reports it where that is known.
  [[nodiscard]] Bytes available_memory() const { return usable_memory ? usable_memory->value : memory.value; }
};

/// `id` is an id or an unambiguous name or alias. Throws Error on an unknown name, an architecture that
/// nobody described, a missing memory size or bandwidth, or a wrong unit.
GpuSpec gpu_spec(const Catalog& catalog, std::string_view id);

}  // namespace rackcast
