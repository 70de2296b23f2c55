#pragma once

namespace rackcast {

/// While it lives, Ctrl-C is noted instead of ending the program; a second one ends it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool asked();
};

}  // namespace rackcast
