#pragma once
/// What a script's host does between the forward and the backward pass while the GPU waits for it.
///
/// A detector's boxes are ranked, suppressed, matched and sampled by operations of a few microseconds, and
/// where their number decides what comes next the host reads it back. After the first such wait the queue is
/// empty, so each operation costs what the slower of its two ends does, and a wait adds the kernel that it
/// waits for:
///
///   t = (operations + operations_per_sample * batch) * max(host pace, shortest kernel)
///     + (waits + waits_per_sample * batch) * shortest kernel
///
/// The counts are calls in the source of a script, one to a call however many kernels it starts; loops in
/// Python and on the processor between them are not in it. So it is a lower bound.
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
