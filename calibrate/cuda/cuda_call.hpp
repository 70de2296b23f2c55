#pragma once
/// Every call into CUDA and its libraries goes through check(); what it throws stays inside the module and
/// leaves it as a GpuOutcome.
#include <cuda_runtime.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast::cuda {

struct CudaFailure : std::runtime_error {
  CudaFailure(const std::string& text, bool is_fatal) : std::runtime_error(text), fatal(is_fatal) {}
  bool fatal;
};

/// Whether the error leaves the CUDA context of the process unusable.
inline bool is_fatal(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorDevicesUnavailable:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // an error that is not sticky must not be found by the next call
  throw CudaFailure{
      std::string{call} + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")",
      is_fatal(error)};
}

/// Runs `work` and returns any exception of it as an outcome. Does not throw.
template <class Work>
GpuOutcome guarded(Work work) noexcept {
  try {
    work();
    return {};
  } catch (const CudaFailure& e) {
    return {e.what(), e.fatal};
  } catch (const std::exception& e) {
    return {e.what(), false};
  }
}

}  // namespace rackcast::cuda
