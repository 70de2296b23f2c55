#pragma once
/// When a sequence of steps has begun to repeat.
///
/// A step's signature holds all its times and the state that it leaves. A cycle of p steps is taken for found
/// when it has come twice in a row,
///
///     s[i - k] = s[i - k - p]   for k = 0 .. p - 1,
///
/// for the least p up to longest_cycle that does. Each step is compared with the so many before it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rackcast {

inline constexpr std::size_t longest_cycle = 200;

using StepSignature = std::array<std::int64_t, 10>;

class StepCycle {
 public:
  void add(const StepSignature& step);
  /// Steps of the cycle that ends with the latest step; 0: there is none.
  [[nodiscard]] std::size_t period() const { return period_; }
  /// Forgets all steps: the next ones are another state's.
  void restart();

 private:
  std::vector<StepSignature> steps_;
  std::vector<std::size_t> matches_;  ///< [p]: steps up to the latest that equal the ones p before them
  std::size_t period_ = 0;
};

}  // namespace rackcast
