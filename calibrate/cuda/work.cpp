#include "calibrate/cuda/work.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

namespace rackcast::cuda {

int rotating_sets(int device, std::size_t bytes) {
  int l2 = 0;
  check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t wanted =
      3 * static_cast<std::size_t>(std::max(l2, 1)) / std::max<std::size_t>(bytes, 1) + 2;
  const std::size_t fitting = free / 3 / std::max<std::size_t>(bytes, 1);
  return static_cast<int>(std::max<std::size_t>(1, std::min<std::size_t>({wanted, fitting, 64})));
}

Work::Work(int device) : device_(device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaEventCreate(&begin_), "cudaEventCreate");
  check(cudaEventCreate(&end_), "cudaEventCreate");
}

Work::~Work() {
  if (rotation_) (void)cudaGraphExecDestroy(rotation_);
  if (end_) (void)cudaEventDestroy(end_);
  if (begin_) (void)cudaEventDestroy(begin_);
  if (stream_) (void)cudaStreamDestroy(stream_);
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t out = nullptr;
#if CUDART_VERSION >= 12000
  const cudaError_t made = cudaGraphInstantiate(&out, graph, 0);
#else
  const cudaError_t made = cudaGraphInstantiate(&out, graph, nullptr, nullptr, 0);
#endif
  (void)cudaGraphDestroy(graph);
  check(made, "cudaGraphInstantiate");
  return out;
}

void Work::capture() {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try {
    for (int set = 0; set < sets(); ++set) call(set);
  } catch (...) {
    (void)cudaStreamEndCapture(stream_, &graph);
    if (graph) (void)cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  rotation_ = instantiated(graph);
}

GpuOutcome Work::run(int repeats, double& seconds) {
  return guarded([&] {
    check(cudaSetDevice(device_), "cudaSetDevice");
    int done = 0;
    if (captures() && !rotation_) {
      call(0);  // loads kernels and allocates what a capture may not
      ++calls_[0];
      check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
      capture();
    }
    check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (; done < repeats && rotation_; done += sets()) {
      check(cudaGraphLaunch(rotation_, stream_), "cudaGraphLaunch");
      for (int& calls : calls_) ++calls;
      last_ = sets() - 1;
    }
    for (; done < repeats; ++done) {
      last_ = next_;
      call(next_);
      ++calls_[static_cast<std::size_t>(next_)];
      next_ = (next_ + 1) % sets();
    }
    check(cudaGetLastError(), "kernel launch");
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    seconds = static_cast<double>(milliseconds) * 1e-3 * repeats / done;  // whole rotations may be more calls
  });
}

GpuOutcome Work::verify(std::string& wrong) {
  return guarded([&] {
    check(cudaSetDevice(device_), "cudaSetDevice");
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    wrong = compare();
  });
}

double Work::element(const Buffer& buffer, Format format, std::size_t index) {
  alignas(8) unsigned char raw[8] = {};
  const std::size_t size = size_of(format);
  check(cudaMemcpy(raw, buffer.as<unsigned char>() + index * size, size, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  switch (format) {
    case Format::fp32:
      return *reinterpret_cast<float*>(raw);
    case Format::fp64:
      return *reinterpret_cast<double*>(raw);
    case Format::fp16:
      return __half2float(*reinterpret_cast<__half*>(raw));
    case Format::bf16:
      return __bfloat162float(*reinterpret_cast<__nv_bfloat16*>(raw));
    case Format::int8:
      break;
  }
  return *reinterpret_cast<signed char*>(raw);
}

std::string difference(const char* what, std::uint64_t index, double got, double expected, double tolerance,
                       double scale) {
  if (std::abs(got - expected) <= tolerance * scale) return {};
  return std::string{what} + " " + std::to_string(index) + " is " + std::to_string(got) + ", expected " +
         std::to_string(expected);
}

std::int64_t number(const GpuTask& task, const char* key) {
  const auto at = task.numbers.find(key);
  if (at == task.numbers.end() || at->second < 1)
    throw CudaFailure{std::string{"the task lacks the number "} + key, false};
  return at->second;
}

std::int64_t number_or(const GpuTask& task, const char* key, std::int64_t fallback) {
  const auto at = task.numbers.find(key);
  return at == task.numbers.end() ? fallback : at->second;
}

}  // namespace rackcast::cuda
