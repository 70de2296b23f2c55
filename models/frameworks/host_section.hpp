#pragma once
/// Host section: work of a script between the forward and the backward pass, during which the GPU waits for
/// the host.
///
/// A detector ranks, suppresses, matches and samples boxes by operations of a few microseconds. Where the
/// number of boxes decides what comes next, the host waits and reads it back. After the first such wait the
/// queue of the GPU is empty. So each operation takes as long as its slower end, host or kernel, and each
/// wait adds the kernel that it waits for:
///
///   t = (operations + operations_per_sample * batch) * max(host pace, shortest kernel)
///     + (waits + waits_per_sample * batch) * shortest kernel
///
/// The counts are calls in the source of a script, one for each call however many kernels it starts. Time in
/// Python and on the CPU between the calls is left out, so the result is a lower bound.
#include "sim/json/reader.hpp"

namespace rackcast {

struct HostSection {
  double operations = 0, operations_per_sample = 0;  ///< waits included
  double waits = 0, waits_per_sample = 0;            ///< results that are read back before the next operation

  [[nodiscard]] double operations_of(double batch) const {
    return operations + operations_per_sample * batch;
  }
  [[nodiscard]] double waits_of(double batch) const { return waits + waits_per_sample * batch; }
};

/// {"operations": 300, "operations_per_sample": 400, "waits": 20, "waits_per_sample": 300}. Throws Error
/// if a count is not from 0 to a million, if there are more waits than operations, or if there are operations
/// but no wait: the host runs ahead of such operations, and host_per_kernel counts them.
HostSection read_host_section(const Json& json);

}  // namespace rackcast
