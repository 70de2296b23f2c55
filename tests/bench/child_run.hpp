#pragma once
/// Runs something in a child process and reports what it cost there: CPU time and peak memory of its own.
#include <cstddef>
#include <functional>

namespace rackcast::bench {

struct ChildCost {
  double result = 0;       ///< what the function returned
  double cpu_seconds = 0;  ///< user and system, of the function
  double wall_seconds = 0;
  std::size_t peak_bytes = 0;  ///< resident set of the child, program text included
};

/// Throws std::runtime_error if the child fails.
ChildCost run_in_child(const std::function<double()>& function);

}  // namespace rackcast::bench
