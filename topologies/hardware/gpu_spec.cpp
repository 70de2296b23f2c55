#include "topologies/hardware/gpu_spec.hpp"

#include <fmt/format.h>

#include "topologies/catalog/limits.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {
namespace {

void read_peak(const SpecReader& reader, double share, GpuSpec::Peak& peak) {
  const auto rate = [&](std::string_view key) {
    return reader.quantity<FlopRate>(key, share);
  };
  peak.fp64 = rate("fp64_tflops");
  peak.fp32 = rate("fp32_tflops");
  peak.fp16 = rate("fp16_tflops");
  peak.tf32_tensor = rate("tf32_tensor_tflops");
  peak.fp16_tensor = rate("fp16_tensor_tflops");
  peak.bf16_tensor = rate("bf16_tensor_tflops");
  peak.fp8_tensor = rate("fp8_tensor_tflops");
  peak.fp4_tensor = rate("fp4_tensor_tflops");
  peak.int8 = peak.int8_tensor = rate("int8_tensor_tops");
  if (!peak.int8) peak.int8 = rate("int8_tops");
}

void read_links(const SpecReader& reader, GpuSpec& gpu) {
  gpu.nvlink_generation = reader.count("nvlink_generation", 1, 100);
  gpu.nvlink_links = reader.count("nvlink_links", 0, limits::links_of_gpu);
  gpu.bridge_per_direction = reader.quantity<Bandwidth>("nvlink_bridge_gb_per_s_per_direction");
  gpu.pcie_generation = reader.count("pcie_generation", 1, 100);
  gpu.pcie_lanes = reader.count("pcie_lanes", 1, 64);
}

/// An error about the architecture points at the line that names it.
template <class Read>
ArchitectureSpec located(const CatalogEntry& entry, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    if (!e.where().file.empty()) throw;
    entry.json.require("architecture").fail(e.message(), e.hint());
  }
}

/// Less than a megabyte in a second is a unit that was mistaken: any step would take years.
Known<Bandwidth> memory_bandwidth(const SpecReader& reader, double share) {
  constexpr std::string_view key = "memory_bandwidth_gb_per_s";
  const auto found = reader.maybe<Bandwidth>(key, [](const Fact& fact) {
    const Bandwidth value = fact.quantity<Bandwidth>();
    if (value < Bandwidth{1e6})
      fact.value().fail(
          fmt::format("\"{}\" must be at least 1 MB/s, and it is {}", fact.key(), fact.display()),
          "GPUs of today have hundreds of GB/s");
    return value;
  });
  Known<Bandwidth> out = reader.require(found, key);
  out.value = out.value * share;
  return out;
}

bool has_jpeg_engine(const SpecReader& reader, const ArchitectureSpec& line) {
  const auto own = reader.text("jpeg_engine");
  if (own) return own->value == "yes";
  if (line.jpeg_engine == "some") (void)reader.require(own, "jpeg_engine");
  return line.jpeg_engine == "all";
}

}  // namespace

GpuSpec gpu_spec(const Catalog& catalog, std::string_view id) {
  const CatalogEntry& entry = catalog.find("gpus", id);
  const SpecReader reader{entry};
  GpuSpec gpu;
  gpu.id = entry.id;
  gpu.name = entry.name;
  gpu.architecture = entry.attribute("architecture");
  if (gpu.architecture.empty()) (void)entry.json.require("architecture");
  gpu.line = located(entry, [&] { return architecture_spec(catalog, gpu.architecture); });
  gpu.jpeg_engine = has_jpeg_engine(reader, gpu.line);
  if (const auto parts = reader.count("gpus_per_board", 1, limits::gpus_of_board)) gpu.per_board = **parts;
  const double share = 1.0 / gpu.per_board;

  read_peak(reader, share, gpu.peak);
  gpu.memory = reader.require(reader.quantity<Bytes>("memory_gb", share), "memory_gb");
  gpu.memory_bandwidth = memory_bandwidth(reader, share);
  gpu.usable_memory = reader.quantity<Bytes>("usable_memory_mib", share);
  if (!gpu.usable_memory) gpu.usable_memory = reader.quantity<Bytes>("usable_memory_mib_per_die");
  gpu.l2 = reader.quantity<Bytes>("l2_cache_mb", share);
  if (!gpu.l2) gpu.l2 = reader.quantity<Bytes>("l2_cache_mb_per_die");
  gpu.sm_count = reader.count("sm_count", 1, 1'000'000);
  if (gpu.sm_count) gpu.sm_count->value /= gpu.per_board;
  gpu.boost_clock = reader.quantity<Frequency>("boost_clock_mhz");
  gpu.tdp = reader.quantity<Power>("tdp_w", share);
  gpu.idle_power = reader.quantity<Power>("idle_power_w", share);
  read_links(reader, gpu);
  gpu.price = reader.quantity<Money>("launch_price_usd", share);
  return gpu;
}

}  // namespace rackcast
