#pragma once
/// Named random streams. One seed in the scenario; each consumer asks for a stream by name ("loader/3"), so a
/// new consumer does not shift the numbers of the others. Generator and distributions are our own few lines:
/// those of the standard library differ between implementations, and results must not.
#include <array>
#include <cstdint>
#include <string_view>

namespace rackcast {

/// xoshiro256** 1.0 seeded by splitmix64 (Blackman & Vigna, "Scrambled linear pseudorandom number
/// generators", ACM TOMS 47(4), 2021).
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  double uniform();  ///< in [0, 1), 53 bits
  double uniform(double low, double high);
  std::uint64_t below(std::uint64_t n);  ///< in [0, n), unbiased; n > 0
  double normal();                       ///< mean 0, variance 1 (Box-Muller, one value per call)
  double exponential(double mean);

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace rackcast
