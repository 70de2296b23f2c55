#include "calibrate/cuda/nvml.hpp"

#include <dlfcn.h>

namespace rackcast::cuda {
namespace {

// The few declarations of nvml.h that are used; its ABI is stable (NVML API reference).
using Device = struct NvmlDevice*;
constexpr int success = 0, clock_of_sm = 1, temperature_of_gpu = 0;

struct Reason {
  unsigned long long bit;
  const char* name;
};
/// nvmlClocksThrottleReasons; an idle GPU and clocks set by the user do not disturb a measurement.
constexpr Reason reasons[] = {{0x4, "power cap"},
                              {0x8, "hardware slowdown"},
                              {0x10, "sync boost"},
                              {0x20, "software thermal slowdown"},
                              {0x40, "hardware thermal slowdown"},
                              {0x80, "power brake"}};

}  // namespace

Nvml::Nvml() {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto init = reinterpret_cast<int (*)()>(symbol("nvmlInit_v2"));
  if (library_ && (!init || init() != success)) {
    (void)dlclose(library_);
    library_ = nullptr;
  }
}

Nvml::~Nvml() {
  if (const auto shutdown = reinterpret_cast<int (*)()>(symbol("nvmlShutdown"))) (void)shutdown();
  if (library_) (void)dlclose(library_);
}

void* Nvml::symbol(const char* name) const {
  return library_ ? dlsym(library_, name) : nullptr;
}

GpuReading Nvml::read(const std::string& pci_bus_id) const {
  GpuReading out;
  const auto find =
      reinterpret_cast<int (*)(const char*, Device*)>(symbol("nvmlDeviceGetHandleByPciBusId_v2"));
  Device device = nullptr;
  if (!find || find(pci_bus_id.c_str(), &device) != success) return out;
  unsigned value = 0;
  const auto clock = reinterpret_cast<int (*)(Device, int, unsigned*)>(symbol("nvmlDeviceGetClockInfo"));
  if (clock && clock(device, clock_of_sm, &value) == success) out.clock_mhz = value;
  const auto power = reinterpret_cast<int (*)(Device, unsigned*)>(symbol("nvmlDeviceGetPowerUsage"));
  if (power && power(device, &value) == success) out.power_w = value / 1000.0;
  const auto temperature =
      reinterpret_cast<int (*)(Device, int, unsigned*)>(symbol("nvmlDeviceGetTemperature"));
  if (temperature && temperature(device, temperature_of_gpu, &value) == success) out.temperature_c = value;
  unsigned long long bits = 0;
  const auto throttle = reinterpret_cast<int (*)(Device, unsigned long long*)>(
      symbol("nvmlDeviceGetCurrentClocksThrottleReasons"));
  if (throttle && throttle(device, &bits) == success)
    for (const Reason& reason : reasons)
      if (bits & reason.bit) out.throttle.emplace_back(reason.name);
  return out;
}

std::string Nvml::driver_version() const {
  char text[96] = {};
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(symbol("nvmlSystemGetDriverVersion"));
  return version && version(text, sizeof text - 1) == success ? text : "";
}

}  // namespace rackcast::cuda
