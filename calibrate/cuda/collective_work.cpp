// NCCL collectives over the first `ranks` GPUs of the box, one process, one communicator for each GPU.
#include "calibrate/cuda/work.hpp"

#ifdef RACKCAST_HAVE_NCCL
#include <nccl.h>

#include <algorithm>
#include <chrono>

#include "calibrate/cuda/test_data.hpp"

namespace rackcast::cuda {
namespace {

void check(ncclResult_t result, const char* call) {
  if (result != ncclSuccess)
    throw CudaFailure{std::string{call} + ": " + ncclGetErrorString(result),
                      result == ncclUnhandledCudaError};
}

/// `bytes` is the whole buffer: what a rank holds for all-reduce, broadcast and all-to-all, what all hold
/// together for all-gather and reduce-scatter (the convention of nccl-tests).
class CollectiveWork : public GpuWork {
 public:
  explicit CollectiveWork(const GpuTask& task)
      : operation_(task.pattern), ranks_(static_cast<int>(number(task, "ranks"))), seed_(task.seed) {
    if (!known()) throw CudaFailure{"unknown collective \"" + operation_ + "\"", false};
    const auto whole = static_cast<std::size_t>(number(task, "bytes")) / 4,
               n = static_cast<std::size_t>(ranks_);
    part_ = std::max<std::size_t>(1, whole / n);
    const bool split = operation_ != "all_reduce" && operation_ != "broadcast";
    count_ = split ? part_ * n : std::max<std::size_t>(1, whole);
    std::vector<int> devices;
    for (int i = 0; i < ranks_; ++i) devices.push_back(i);
    comms_.resize(n);
    check(ncclCommInitAll(comms_.data(), ranks_, devices.data()), "ncclCommInitAll");
    for (int rank = 0; rank < ranks_; ++rank) {
      cuda::check(cudaSetDevice(rank), "cudaSetDevice");
      cudaStream_t stream = nullptr;
      cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      streams_.push_back(stream);
      in_.emplace_back(count_ * 4);
      out_.emplace_back(count_ * 4);
      fill(Format::fp32, in_.back().get(), count_, seed_ + static_cast<std::uint64_t>(rank), stream);
    }
    wait();
  }
  CollectiveWork(const CollectiveWork&) = delete;
  CollectiveWork& operator=(const CollectiveWork&) = delete;
  ~CollectiveWork() override {
    for (const ncclComm_t comm : comms_) (void)ncclCommDestroy(comm);
    for (const cudaStream_t stream : streams_) (void)cudaStreamDestroy(stream);
  }

  /// By the host's clock from the first call to the end on the last GPU: events of several devices cannot be
  /// compared.
  GpuOutcome run(int repeats, double& seconds) override {
    return guarded([&] {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < repeats; ++i) enqueue();
      wait();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }

  GpuOutcome verify(std::string& wrong) override {
    return guarded([&] {
      for (int rank = 0; rank < ranks_ && wrong.empty(); ++rank) wrong = compare(rank);
    });
  }
  [[nodiscard]] bool verifies() const override { return true; }

 private:
  [[nodiscard]] bool known() const {
    return operation_ == "all_reduce" || operation_ == "all_gather" || operation_ == "reduce_scatter" ||
           operation_ == "broadcast" || operation_ == "all_to_all";
  }

  void enqueue() {
    check(ncclGroupStart(), "ncclGroupStart");
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      const float* in = in_[r].as<float>();
      float* out = out_[r].as<float>();
      if (operation_ == "all_reduce") {
        check(ncclAllReduce(in, out, count_, ncclFloat, ncclSum, comms_[r], streams_[r]), "ncclAllReduce");
      } else if (operation_ == "all_gather") {
        check(ncclAllGather(in, out, part_, ncclFloat, comms_[r], streams_[r]), "ncclAllGather");
      } else if (operation_ == "reduce_scatter") {
        check(ncclReduceScatter(in, out, part_, ncclFloat, ncclSum, comms_[r], streams_[r]),
              "ncclReduceScatter");
      } else if (operation_ == "broadcast") {
        check(ncclBroadcast(in, out, count_, ncclFloat, 0, comms_[r], streams_[r]), "ncclBroadcast");
      } else {
        exchange(r, in, out);
      }
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

  void exchange([[maybe_unused]] std::size_t r, [[maybe_unused]] const float* in,
                [[maybe_unused]] float* out) {
#if NCCL_VERSION_CODE >= 2700
    for (int peer = 0; peer < ranks_; ++peer) {
      const std::size_t at = static_cast<std::size_t>(peer) * part_;
      check(ncclSend(in + at, part_, ncclFloat, peer, comms_[r], streams_[r]), "ncclSend");
      check(ncclRecv(out + at, part_, ncclFloat, peer, comms_[r], streams_[r]), "ncclRecv");
    }
#else
    throw CudaFailure{"all-to-all needs NCCL 2.7", false};
#endif
  }

  void wait() {
    for (int rank = 0; rank < ranks_; ++rank) {
      cuda::check(cudaSetDevice(rank), "cudaSetDevice");
      cuda::check(cudaStreamSynchronize(streams_[static_cast<std::size_t>(rank)]), "cudaStreamSynchronize");
    }
  }

  [[nodiscard]] double expected(std::size_t rank, std::size_t i) const {
    if (operation_ == "broadcast") return test_value(seed_, i);
    if (operation_ == "all_gather") return test_value(seed_ + i / part_, i % part_);
    if (operation_ == "all_to_all") return test_value(seed_ + i / part_, rank * part_ + i % part_);
    double sum = 0;
    const std::size_t at = operation_ == "reduce_scatter" ? rank * part_ + i : i;
    for (int r = 0; r < ranks_; ++r) sum += test_value(seed_ + static_cast<std::uint64_t>(r), at);
    return sum;
  }

  std::string compare(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::size_t results = operation_ == "reduce_scatter" ? part_ : count_;
    cuda::check(cudaSetDevice(rank), "cudaSetDevice");
    for (std::uint64_t probe = 0; probe < 16; ++probe) {
      const std::size_t i = mixed(seed_ + probe) % results;
      float got = 0;
      cuda::check(cudaMemcpy(&got, out_[r].as<float>() + i, sizeof got, cudaMemcpyDeviceToHost),
                  "cudaMemcpy");
      const std::string wrong = difference("element", i, got, expected(r, i), 1e-5, 1);
      if (!wrong.empty()) return "rank " + std::to_string(rank) + ": " + wrong;
    }
    return {};
  }

  std::string operation_;
  int ranks_;
  std::uint64_t seed_;
  std::size_t part_ = 1, count_ = 1;
  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
  std::vector<Buffer> in_, out_;
};

}  // namespace

std::unique_ptr<GpuWork> make_collective(int, const GpuTask& task) {
  return std::make_unique<CollectiveWork>(task);
}
std::string nccl_version() {
  return std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR);
}

}  // namespace rackcast::cuda
#else
namespace rackcast::cuda {

std::unique_ptr<GpuWork> make_collective(int, const GpuTask&) {
  throw CudaFailure{"built without NCCL", false};
}
std::string nccl_version() {
  return {};
}

}  // namespace rackcast::cuda
#endif
