#pragma once
/// Clocks, power, temperature and reasons of throttling through NVML, which comes with the driver and not
/// with the toolkit: it is loaded at run time, and where it is missing nothing is read. Reads only.
#include <string>

#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast::cuda {

class Nvml {
 public:
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  /// Empty readings (negative) where NVML or the device cannot be asked.
  [[nodiscard]] GpuReading read(const std::string& pci_bus_id) const;
  [[nodiscard]] std::string driver_version() const;

 private:
  void* library_ = nullptr;
  [[nodiscard]] void* symbol(const char* name) const;
};

}  // namespace rackcast::cuda
