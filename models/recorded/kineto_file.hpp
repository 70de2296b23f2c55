#pragma once
/// Traces of PyTorch's profiler (Kineto), as `torch.profiler` writes them with export_chrome_trace(): one
/// file per rank.
///
/// What is read: kernels and copies with stream and correlation; the call that launched each; the calls that
/// wait (cuda...Synchronize, cudaStreamWaitEvent); what record_param_comms tells of a collective (since
/// PyTorch 2.3: "Collective name", "dtype", "In msg nelems", "Out msg nelems", "Group size", "Process Group
/// Name", "Process Group Ranks"); and distributedInfo. The step is the last "ProfilerStep#" of the file; the
/// whole file where it has none.
///
/// What waits for what is not in such a trace. It follows from the calls:
/// - a kernel waits for its launch, and for the kernel before it on its stream;
/// - a collective waits for the last kernel that was launched before it and was over when it began;
/// - where a launch follows a cudaStreamWaitEvent, the kernel waits for the last task of each other stream
///   that was launched before and was over when the kernel began. One such call belongs to each collective.
///   Where the file has no such call, the update waits for all collectives;
/// - the host waits in a ...Synchronize for what was over at its end.
/// Between two launches the host takes what it took when the trace was recorded, without such waits.
#include <map>
#include <string>
#include <vector>

#include "models/recorded/recorded_step.hpp"

namespace rackcast {

/// The step of these files, one for each recorded rank. Throws Error for a file that is no such trace or has
/// no kernel, and whatever check_recorded() refuses.
RecordedStep read_kineto(const std::vector<std::string>& files,
                         std::map<std::string, std::vector<int>> groups = {});

}  // namespace rackcast
