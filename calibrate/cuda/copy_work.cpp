// Copies between host and GPU, pinned or pageable, and between GPUs.
#include <cstring>

#include "calibrate/cuda/test_data.hpp"
#include "calibrate/cuda/work.hpp"

namespace rackcast::cuda {
namespace {

/// Host memory, page-locked or not.
class HostMemory {
 public:
  HostMemory(std::size_t bytes, bool pinned) : pinned_(pinned) {
    if (pinned) {
      check(cudaMallocHost(&data_, bytes), "cudaMallocHost");
    } else {
      pageable_.resize(bytes);
      data_ = pageable_.data();
    }
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    if (pinned_) (void)cudaFreeHost(data_);
  }
  [[nodiscard]] unsigned char* get() const { return static_cast<unsigned char*>(data_); }

 private:
  void* data_ = nullptr;
  bool pinned_;
  std::vector<unsigned char> pageable_;
};

unsigned char pattern_byte(std::uint64_t seed, std::size_t i) {
  return static_cast<unsigned char>(mixed(seed + i / 8) >> (i % 8 * 8));
}

class HostCopyWork : public Work {
 public:
  HostCopyWork(int device, const GpuTask& task)
      : Work(device),
        up_(task.pattern == "h2d"),
        bytes_(static_cast<std::size_t>(number(task, "bytes"))),
        seed_(task.seed),
        host_(bytes_, task.pinned),
        on_device_(bytes_) {
    if (!up_ && task.pattern != "d2h") throw CudaFailure{"unknown direction \"" + task.pattern + "\"", false};
    for (std::size_t i = 0; i < bytes_; ++i) host_.get()[i] = pattern_byte(seed_, i);
    check(cudaMemcpy(on_device_.get(), host_.get(), bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
    if (up_) {
      check(cudaMemset(on_device_.get(), 0, bytes_), "cudaMemset");
    } else {
      std::memset(host_.get(), 0, bytes_);
    }
  }

 private:
  [[nodiscard]] bool captures() const override { return false; }
  void call(int) override {
    if (up_) {
      check(cudaMemcpyAsync(on_device_.get(), host_.get(), bytes_, cudaMemcpyHostToDevice, stream()),
            "cudaMemcpyAsync");
    } else {
      check(cudaMemcpyAsync(host_.get(), on_device_.get(), bytes_, cudaMemcpyDeviceToHost, stream()),
            "cudaMemcpyAsync");
    }
  }

  std::string compare() override {
    std::vector<unsigned char> got(bytes_);
    if (up_) {
      check(cudaMemcpy(got.data(), on_device_.get(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    } else {
      std::memcpy(got.data(), host_.get(), bytes_);
    }
    for (std::size_t i = 0; i < bytes_; ++i)
      if (got[i] != pattern_byte(seed_, i)) return "byte " + std::to_string(i) + " differs";
    return {};
  }

  bool up_;
  std::size_t bytes_;
  std::uint64_t seed_;
  HostMemory host_;
  Buffer on_device_;
};

/// From this device to the peer, directly where the hardware allows it, else through the host (noted).
class PeerCopyWork : public Work {
 public:
  PeerCopyWork(int device, const GpuTask& task)
      : Work(device),
        peer_(task.peer),
        bytes_(static_cast<std::size_t>(number(task, "bytes"))),
        seed_(task.seed),
        from_(bytes_) {
    int direct = 0;
    check(cudaDeviceCanAccessPeer(&direct, device, peer_), "cudaDeviceCanAccessPeer");
    if (direct) {
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer_, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
      } else {
        check(enabled, "cudaDeviceEnablePeerAccess");
      }
    }
    note("path", direct ? "direct" : "through the host");
    fill(Format::fp32, from_.get(), bytes_ / 4, seed_, stream());
    check(cudaStreamSynchronize(stream()), "fill");
    check(cudaSetDevice(peer_), "cudaSetDevice");
    to_ = Buffer{bytes_};
    check(cudaSetDevice(device), "cudaSetDevice");
  }

 private:
  [[nodiscard]] bool captures() const override { return false; }
  void call(int) override {
    check(cudaMemcpyPeerAsync(to_.get(), peer_, from_.get(), device(), bytes_, stream()),
          "cudaMemcpyPeerAsync");
  }

  std::string compare() override {
    check(cudaSetDevice(peer_), "cudaSetDevice");
    std::string wrong;
    for (std::uint64_t probe = 0; probe < 64 && wrong.empty(); ++probe) {
      const std::size_t i = mixed(seed_ + probe) % (bytes_ / 4);
      wrong = difference("element", i, element(to_, Format::fp32, i), test_value(seed_, i), 0, 1);
    }
    check(cudaSetDevice(device()), "cudaSetDevice");
    return wrong;
  }

  int peer_;
  std::size_t bytes_;
  std::uint64_t seed_;
  Buffer from_, to_;
};

}  // namespace

std::unique_ptr<GpuWork> make_host_copy(int device, const GpuTask& task) {
  return std::make_unique<HostCopyWork>(device, task);
}
std::unique_ptr<GpuWork> make_peer_copy(int device, const GpuTask& task) {
  return std::make_unique<PeerCopyWork>(device, task);
}

}  // namespace rackcast::cuda
