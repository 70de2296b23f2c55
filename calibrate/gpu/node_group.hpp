#pragma once
/// Collectives over the GPUs of several nodes: one process on each node, started by mpirun or srun. Rank 0,
/// the leader, measures; the others do what it says, so that all run the same calls equally often although
/// the times, and with them the end of a measurement, are known to the leader alone.
///
///   leader                               follower (rank 1 ... n-1)
///   listens at --leader                  connects, says its rank and GPUs
///   join 2, 4, ... n nodes               GpuDriver::join at the same time
///   prepare / run / verify / drop        the same on its own GPUs, then its outcome
///   end                                  returns
///
/// A follower that fails in a call answers with the error, and the measurement is listed with it. A node that
/// has gone is not asked again. If a call of NCCL hangs because another node failed in it, the leader waits
/// for a while, then leaves the call hanging, asks no GPU any more, and keeps what was measured.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gpu/channel.hpp"
#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast {

/// The place of this process in the launch: one process on each node.
struct LaunchedAs {
  int rank = 0, size = 1;
  int local_size = 1;  ///< processes on this node
};

/// From the variables of Open MPI, MPICH and its kin (PMI), or Slurm's srun; nothing if started by none of
/// them. `variable` is getenv, or a test's. Throws Error if they contradict each other.
std::optional<LaunchedAs> launched_as(const std::function<const char*(const char*)>& variable);

/// The driver of the leader: collectives with a number "nodes" above 1 run on all nodes, all else on its own.
class NodeGroup : public GpuDriver {
 public:
  /// Waits for the others. Throws Error if they do not come in time or have no GPU; `local` must have some.
  static std::shared_ptr<NodeGroup> lead(std::shared_ptr<GpuDriver> local, Listener& listener, int size,
                                         Duration patience, const std::function<bool()>& interrupted,
                                         Duration grace = Duration{20});
  ~NodeGroup() override;

  [[nodiscard]] virtual const std::vector<int>& gpus_of_nodes() const = 0;
  /// Whether a call can never return because another node failed. The processes must then be ended from
  /// outside.
  [[nodiscard]] virtual bool stuck() const = 0;
};

/// Serves the leader until it says "end". Throws Error if it cannot be reached or goes away.
void follow(GpuDriver* local, const std::string& reason, const NetworkAddress& leader, int rank, int size,
            Duration patience, const std::function<bool()>& interrupted);

/// The part of follow() behind the greeting: does what comes over the channel until that says "end". Throws
/// Error if the leader goes away, or is not rackcast.
void serve(GpuDriver& local, Channel& channel, int rank);

}  // namespace rackcast
