// The module's entry: finds devices, hands out work, reads NVML. Changes no setting of any device.
#include <cstring>

#include "calibrate/cuda/nvml.hpp"
#include "calibrate/cuda/work.hpp"

namespace rackcast::cuda {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// By the units that each architecture brought (CUDA C++ Programming Guide, "Arithmetic Instructions").
std::vector<std::string> precisions_of(int capability) {
  std::vector<std::string> out{"fp32", "fp64"};
  if (capability == 60 || capability >= 70) out.emplace_back("fp16");
  if (capability >= 80) out.insert(out.end(), {"tf32", "bf16"});
  if (capability >= 72) out.emplace_back("int8");
  return out;
}

GpuFacts facts_of(int device, const Nvml& nvml) {
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  const int capability = 10 * p.major + p.minor;
  if (capability < RACKCAST_LEAST_CAPABILITY)
    throw CudaFailure{"the " + std::string{p.name} + " has compute capability " + std::to_string(p.major) +
                          "." + std::to_string(p.minor) + ", and this build with CUDA " +
                          version_text(CUDART_VERSION) + " has kernels from " +
                          capability_text(RACKCAST_LEAST_CAPABILITY) +
                          " on; Pascal and Volta need CUDA 12 or older: build with it and "
                          "-DRACKCAST_CUDA_ARCHITECTURES=" +
                          std::to_string(capability),
                      false};
  GpuFacts f;
  f.name = p.name;
  f.compute_capability = capability_text(capability);
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  f.runtime = version_text(runtime);
  f.driver = nvml.driver_version();
  for (const auto& [name, version] : {std::pair<const char*, std::string>{"cublas", cublas_version()},
                                      {"cudnn", cudnn_version()},
                                      {"nccl", nccl_version()}})
    if (!version.empty()) f.libraries[name] = version;
  f.sm_count = p.multiProcessorCount;
  f.memory_bytes = static_cast<double>(p.totalGlobalMem);
  f.l2_bytes = p.l2CacheSize;
  f.clock_mhz = attribute(cudaDevAttrClockRate, device) / 1e3;
  // Two transfers per clock; the width is in bits.
  f.memory_bytes_per_s = 2e3 * attribute(cudaDevAttrMemoryClockRate, device) *
                         attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8;
  f.precisions = precisions_of(capability);
  return f;
}

class Driver : public GpuDriver {
 public:
  GpuOutcome devices(std::vector<GpuFacts>& out) override {
    return guarded([&] {
      int count = 0;
      check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
      for (int i = 0; i < count; ++i) {
        out.push_back(facts_of(i, nvml_));
        char bus[32] = {};
        check(cudaDeviceGetPCIBusId(bus, sizeof bus, i), "cudaDeviceGetPCIBusId");
        buses_.emplace_back(bus);
      }
    });
  }

  GpuReading read(int device) override {
    const auto at = static_cast<std::size_t>(device);
    return at < buses_.size() ? nvml_.read(buses_[at]) : GpuReading{};
  }

  GpuOutcome prepare(int device, const GpuTask& task, std::unique_ptr<GpuWork>& out) override {
    return guarded([&] { out = made(device, task); });
  }

  [[nodiscard]] bool has(GpuTaskKind kind) const override {
    if (kind == GpuTaskKind::convolution) return !cudnn_version().empty();
    if (kind == GpuTaskKind::collective) return !nccl_version().empty();
    return true;
  }

  GpuOutcome unique_id(std::string& out) override {
    return guarded([&] { out = meetings_->unique_id(); });
  }
  GpuOutcome join(const GpuMeeting& meeting) override {
    return guarded([&] { meetings_->join(meeting); });
  }

 private:
  [[nodiscard]] std::unique_ptr<GpuWork> made(int device, const GpuTask& task) const {
    switch (task.kind) {
      case GpuTaskKind::gemm:
        return make_gemm(device, task);
      case GpuTaskKind::convolution:
        return make_convolution(device, task);
      case GpuTaskKind::vector:
        return make_vector(device, task);
      case GpuTaskKind::attention:
        return make_attention(device, task);
      case GpuTaskKind::memory:
        return make_memory(device, task);
      case GpuTaskKind::launch:
        return make_launch(device, task);
      case GpuTaskKind::host_copy:
        return make_host_copy(device, task);
      case GpuTaskKind::peer_copy:
        return make_peer_copy(device, task);
      case GpuTaskKind::collective:
        break;
    }
    return make_collective(task, *meetings_);
  }

  Nvml nvml_;
  std::unique_ptr<Meetings> meetings_ = make_meetings();
  std::vector<std::string> buses_;
};

void say(const std::string& reason, char* text, int size) {
  if (size <= 0) return;
  std::strncpy(text, reason.c_str(), static_cast<std::size_t>(size) - 1);
  text[size - 1] = '\0';
}

}  // namespace
}  // namespace rackcast::cuda

/// See gpu_driver.hpp. Null, with a reason, for another version of the interface or without a usable driver.
extern "C" __attribute__((visibility("default"))) rackcast::GpuDriver* rackcast_open_gpu_driver(
    int version, char* reason, int reason_size) {
  using namespace rackcast;
  if (version != gpu_driver_version) {
    cuda::say("the CUDA module is of another build of rackcast", reason, reason_size);
    return nullptr;
  }
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    // Where no driver is installed at all, CUDA speaks of one that is too old.
    const bool none = found == cudaSuccess || found == cudaErrorNoDevice;
    cuda::say(
        none ? std::string{"no GPU"}
        : found == cudaErrorInsufficientDriver
            ? "no GPU, or its driver is missing or older than CUDA " + cuda::version_text(CUDART_VERSION)
            : std::string{"no GPU: "} + cudaGetErrorString(found),
        reason, reason_size);
    return nullptr;
  }
  try {
    return new cuda::Driver;
  } catch (const std::exception& e) {
    cuda::say(e.what(), reason, reason_size);
    return nullptr;
  }
}
