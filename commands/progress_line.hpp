#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace rackcast {

/// One line on standard error that says how far a long run is; nothing in the first second, and nothing at
/// all where standard error is no terminal. It is wiped at the end.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);  ///< "Predicting cases"
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// "Predicting cases: 340 of 1,200, 3 s left"; without a total, how many and for how long.
  void show(std::size_t done, std::size_t total = 0);

 private:
  using Time = std::chrono::steady_clock::time_point;

  std::string what_;
  Time start_, last_;
  bool terminal_, shown_ = false;
};

}  // namespace rackcast
