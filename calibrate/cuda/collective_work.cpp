// NCCL collectives, one process for each node, one communicator for each of its GPUs: over the first `ranks`
// GPUs of the box, or over the GPUs of all nodes of a meeting.
#include "calibrate/cuda/work.hpp"

#ifdef RACKCAST_HAVE_NCCL
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "calibrate/cuda/test_data.hpp"

namespace rackcast::cuda {
namespace {

void check(ncclResult_t result, const char* call) {
  if (result != ncclSuccess)
    throw CudaFailure{std::string{call} + ": " + ncclGetErrorString(result),
                      result == ncclUnhandledCudaError};
}

/// Communicators of this node's GPUs within a group that may reach over several nodes.
struct Group {
  std::vector<ncclComm_t> comms;
  int first = 0, ranks = 0;  ///< global rank of our first GPU; GPUs of all nodes

  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    for (const ncclComm_t comm : comms)
      if (comm) (void)ncclCommDestroy(comm);
  }
};

std::shared_ptr<Group> local_group(int ranks) {
  auto group = std::make_shared<Group>();
  std::vector<int> devices;
  for (int i = 0; i < ranks; ++i) devices.push_back(i);
  group->ranks = ranks;
  group->comms.resize(static_cast<std::size_t>(ranks));
  check(ncclCommInitAll(group->comms.data(), ranks, devices.data()), "ncclCommInitAll");
  return group;
}

class NcclMeetings : public Meetings {
 public:
  std::string unique_id() override {
    ncclUniqueId id;
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return {id.internal, sizeof id.internal};
  }

  void join(const GpuMeeting& meeting) override {
    ncclUniqueId id;
    if (meeting.id.size() != sizeof id.internal) throw CudaFailure{"the meeting has no NCCL id", false};
    std::memcpy(id.internal, meeting.id.data(), sizeof id.internal);
    auto group = std::make_shared<Group>();
    group->first = meeting.first_rank;
    group->ranks = meeting.ranks;
    group->comms.resize(static_cast<std::size_t>(meeting.devices));
    check(ncclGroupStart(), "ncclGroupStart");
    for (int i = 0; i < meeting.devices; ++i) {
      cuda::check(cudaSetDevice(i), "cudaSetDevice");
      check(ncclCommInitRank(&group->comms[static_cast<std::size_t>(i)], meeting.ranks, id,
                             meeting.first_rank + i),
            "ncclCommInitRank");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
    groups_[meeting.ranks] = std::move(group);
  }

  [[nodiscard]] std::shared_ptr<Group> find(int ranks) const {
    const auto at = groups_.find(ranks);
    if (at == groups_.end()) throw CudaFailure{"the nodes have not met", false};
    return at->second;
  }

 private:
  std::map<int, std::shared_ptr<Group>> groups_;
};

/// `bytes` is the whole buffer: what a rank holds for all-reduce, broadcast and all-to-all, what all hold
/// together for all-gather and reduce-scatter (the convention of nccl-tests).
class CollectiveWork : public GpuWork {
 public:
  CollectiveWork(const GpuTask& task, std::shared_ptr<Group> group)
      : operation_(task.pattern), ranks_(group->ranks), seed_(task.seed), group_(std::move(group)) {
    if (!known()) throw CudaFailure{"unknown collective \"" + operation_ + "\"", false};
    const auto whole = static_cast<std::size_t>(number(task, "bytes")) / 4,
               n = static_cast<std::size_t>(ranks_);
    part_ = std::max<std::size_t>(1, whole / n);
    const bool split = operation_ != "all_reduce" && operation_ != "broadcast";
    count_ = split ? part_ * n : std::max<std::size_t>(1, whole);
    for (int i = 0; i < devices(); ++i) {
      cuda::check(cudaSetDevice(i), "cudaSetDevice");
      cudaStream_t stream = nullptr;
      cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      streams_.push_back(stream);
      in_.emplace_back(count_ * 4);
      out_.emplace_back(count_ * 4);
      fill(Format::fp32, in_.back().get(), count_, seed_ + static_cast<std::uint64_t>(group_->first + i),
           stream);
    }
    wait();
  }
  CollectiveWork(const CollectiveWork&) = delete;
  CollectiveWork& operator=(const CollectiveWork&) = delete;
  ~CollectiveWork() override {
    for (const cudaStream_t stream : streams_) (void)cudaStreamDestroy(stream);
  }

  /// By the host's clock from the first call to the end on the last GPU: events of several devices cannot be
  /// compared.
  GpuOutcome run(int repeats, double& seconds) override {
    return guarded([&] {
      if (devices() < ranks_) meet();
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < repeats; ++i) enqueue();
      wait();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }

  GpuOutcome verify(std::string& wrong) override {
    return guarded([&] {
      for (int i = 0; i < devices() && wrong.empty(); ++i) wrong = compare(i);
    });
  }
  [[nodiscard]] bool verifies() const override { return true; }

 private:
  [[nodiscard]] bool known() const {
    return operation_ == "all_reduce" || operation_ == "all_gather" || operation_ == "reduce_scatter" ||
           operation_ == "broadcast" || operation_ == "all_to_all";
  }

  [[nodiscard]] int devices() const { return static_cast<int>(group_->comms.size()); }

  /// The nodes are told to begin one after the other over the network; a small all-reduce lets them go
  /// together. It writes into the output, which the measured calls write anew.
  void meet() {
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t r = 0; r < group_->comms.size(); ++r)
      check(ncclAllReduce(in_[r].get(), out_[r].get(), 1, ncclFloat, ncclSum, group_->comms[r], streams_[r]),
            "ncclAllReduce");
    check(ncclGroupEnd(), "ncclGroupEnd");
    wait();
  }

  void enqueue() {
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t r = 0; r < group_->comms.size(); ++r) {
      const float* in = in_[r].as<float>();
      float* out = out_[r].as<float>();
      if (operation_ == "all_reduce") {
        check(ncclAllReduce(in, out, count_, ncclFloat, ncclSum, group_->comms[r], streams_[r]),
              "ncclAllReduce");
      } else if (operation_ == "all_gather") {
        check(ncclAllGather(in, out, part_, ncclFloat, group_->comms[r], streams_[r]), "ncclAllGather");
      } else if (operation_ == "reduce_scatter") {
        check(ncclReduceScatter(in, out, part_, ncclFloat, ncclSum, group_->comms[r], streams_[r]),
              "ncclReduceScatter");
      } else if (operation_ == "broadcast") {
        check(ncclBroadcast(in, out, count_, ncclFloat, 0, group_->comms[r], streams_[r]), "ncclBroadcast");
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
      check(ncclSend(in + at, part_, ncclFloat, peer, group_->comms[r], streams_[r]), "ncclSend");
      check(ncclRecv(out + at, part_, ncclFloat, peer, group_->comms[r], streams_[r]), "ncclRecv");
    }
#else
    throw CudaFailure{"all-to-all needs NCCL 2.7", false};
#endif
  }

  void wait() {
    for (int i = 0; i < devices(); ++i) {
      cuda::check(cudaSetDevice(i), "cudaSetDevice");
      cuda::check(cudaStreamSynchronize(streams_[static_cast<std::size_t>(i)]), "cudaStreamSynchronize");
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

  std::string compare(int device) {
    const auto r = static_cast<std::size_t>(device), rank = static_cast<std::size_t>(group_->first + device);
    const std::size_t results = operation_ == "reduce_scatter" ? part_ : count_;
    cuda::check(cudaSetDevice(device), "cudaSetDevice");
    for (std::uint64_t probe = 0; probe < 16; ++probe) {
      const std::size_t i = mixed(seed_ + probe) % results;
      float got = 0;
      cuda::check(cudaMemcpy(&got, out_[r].as<float>() + i, sizeof got, cudaMemcpyDeviceToHost),
                  "cudaMemcpy");
      const std::string wrong = difference("element", i, got, expected(rank, i), 1e-5, 1);
      if (!wrong.empty()) return "rank " + std::to_string(rank) + ": " + wrong;
    }
    return {};
  }

  std::string operation_;
  int ranks_;
  std::uint64_t seed_;
  std::size_t part_ = 1, count_ = 1;
  std::shared_ptr<Group> group_;
  std::vector<cudaStream_t> streams_;
  std::vector<Buffer> in_, out_;
};

}  // namespace

std::unique_ptr<Meetings> make_meetings() {
  return std::make_unique<NcclMeetings>();
}
std::unique_ptr<GpuWork> make_collective(const GpuTask& task, const Meetings& meetings) {
  const int ranks = static_cast<int>(number(task, "ranks"));
  const bool across = number_or(task, "nodes", 1) > 1;
  return std::make_unique<CollectiveWork>(
      task, across ? static_cast<const NcclMeetings&>(meetings).find(ranks) : local_group(ranks));
}
std::string nccl_version() {
  return std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR);
}

}  // namespace rackcast::cuda
#else
namespace rackcast::cuda {

namespace {

class NoMeetings : public Meetings {
 public:
  std::string unique_id() override { throw CudaFailure{"built without NCCL", false}; }
  void join(const GpuMeeting&) override { throw CudaFailure{"built without NCCL", false}; }
};

}  // namespace

std::unique_ptr<Meetings> make_meetings() {
  return std::make_unique<NoMeetings>();
}
std::unique_ptr<GpuWork> make_collective(const GpuTask&, const Meetings&) {
  throw CudaFailure{"built without NCCL", false};
}
std::string nccl_version() {
  return {};
}

}  // namespace rackcast::cuda
#endif
