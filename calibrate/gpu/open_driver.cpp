// Loads the CUDA module that lies beside the program.
#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast {

std::shared_ptr<GpuDriver> open_gpu_driver(std::string& reason) {
  std::error_code code;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path module = program.parent_path() / "librackcast_cuda.so";
  if (!std::filesystem::exists(module, code)) {
    reason = "built without CUDA: no librackcast_cuda.so beside the program";
    return nullptr;
  }
  void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    reason = std::string{"the CUDA module cannot be loaded: "} + (why ? why : "unknown reason");
    return nullptr;
  }
  const auto factory = reinterpret_cast<GpuDriverFactory>(dlsym(library, gpu_driver_symbol));
  std::array<char, 512> text{};
  GpuDriver* driver = factory ? factory(gpu_driver_version, text.data(), int(text.size())) : nullptr;
  if (!driver) {
    reason = text[0] ? text.data() : "the CUDA module is of another build of rackcast";
    dlclose(library);
    return nullptr;
  }
  // The module stays loaded: CUDA's own threads may outlive the driver object.
  return std::shared_ptr<GpuDriver>{driver};
}

}  // namespace rackcast
