#pragma once
/// What all kinds of work share: a stream, events around the repeated calls, buffers that rotate through more
/// than the caches hold, and comparison with a reference. Private to the module.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/cuda/cuda_call.hpp"
#include "calibrate/cuda/kernels.hpp"
#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast::cuda {

/// Device memory of one array.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  Buffer(Buffer&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { (void)cudaFree(data_); }

  [[nodiscard]] void* get() const { return data_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// How many sets of `bytes` rotate: as many as exceed three times the L2 cache, at most 64 and a third of the
/// free memory.
int rotating_sets(int device, std::size_t bytes);

/// Base of all work: subclasses enqueue one call on `stream()`.
class Work : public GpuWork {
 public:
  explicit Work(int device);
  ~Work() override;

  GpuOutcome run(int repeats, double& seconds) override;
  GpuOutcome verify(std::string& wrong) override;
  [[nodiscard]] bool verifies() const override { return true; }
  [[nodiscard]] std::map<std::string, std::string> labels() const override { return labels_; }

 protected:
  /// Enqueues one call on set number `set`; throws CudaFailure.
  virtual void call(int set) = 0;
  /// Whether the calls on all sets become a CUDA graph that is launched as one, so that short kernels are
  /// timed and not the host that enqueues them: a call of cuDNN 9 took 41 us and more. Not where the call
  /// itself is what is timed.
  [[nodiscard]] virtual bool captures() const { return true; }
  /// What is wrong with what the last call left in set `last_set()`; empty if nothing is.
  virtual std::string compare() { return {}; }

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] int last_set() const { return last_; }
  /// How often set number `set` was called.
  [[nodiscard]] int calls(int set) const { return calls_[static_cast<std::size_t>(set)]; }
  void set_rotation(int sets) { calls_.assign(static_cast<std::size_t>(sets < 1 ? 1 : sets), 0); }
  void note(const std::string& key, const std::string& value) { labels_[key] = value; }
  /// One element of device memory as a number.
  static double element(const Buffer& buffer, Format format, std::size_t index);

 private:
  /// One call on each set, in order, as a graph.
  void capture();
  [[nodiscard]] int sets() const { return static_cast<int>(calls_.size()); }

  int device_, next_ = 0, last_ = 0;
  std::vector<int> calls_{0};
  cudaGraphExec_t rotation_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::map<std::string, std::string> labels_;
};

/// Takes the graph.
cudaGraphExec_t instantiated(cudaGraph_t graph);

/// "element 17 is 3.5, expected 3.25"; empty if |got - expected| <= tolerance * scale.
std::string difference(const char* what, std::uint64_t index, double got, double expected, double tolerance,
                       double scale);

/// Numbers of a task, checked to be at least 1.
std::int64_t number(const GpuTask& task, const char* key);
std::int64_t number_or(const GpuTask& task, const char* key, std::int64_t fallback);

// One for each kind of task. Throw CudaFailure if it cannot be done.
std::unique_ptr<GpuWork> make_gemm(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_attention(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_convolution(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_vector(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_memory(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_launch(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_host_copy(int device, const GpuTask& task);
std::unique_ptr<GpuWork> make_peer_copy(int device, const GpuTask& task);

/// Groups of GPUs over several nodes, for collectives. Functions throw CudaFailure.
class Meetings {
 public:
  virtual ~Meetings() = default;
  virtual std::string unique_id() = 0;
  virtual void join(const GpuMeeting& meeting) = 0;
};
std::unique_ptr<Meetings> make_meetings();
std::unique_ptr<GpuWork> make_collective(const GpuTask& task, const Meetings& meetings);

// Libraries and their versions; empty if built without.
std::string cublas_version();
std::string cudnn_version();
std::string nccl_version();

}  // namespace rackcast::cuda
