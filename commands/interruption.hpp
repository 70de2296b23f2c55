#pragma once

namespace rackcast {

/// While it lives, Ctrl-C or a termination is noted instead of ending the program; another one ends it.
/// Launchers (timeout, mpirun) send theirs to the process and to its group: what comes within a second is the
/// same one.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool asked();
};

}  // namespace rackcast
