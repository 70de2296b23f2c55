#pragma once
/// Test data that device and host compute alike, so that a reference needs no copy of the inputs: multiples
/// of 1/8 from -1 to 1, exact in every precision (bf16 has eight bits), so that products and sums in fp32 are
/// exact while they stay below 2^18.
#include <cstdint>

#ifdef __CUDACC__
#define RACKCAST_BOTH __host__ __device__
#else
#define RACKCAST_BOTH
#endif

namespace rackcast::cuda {

/// The finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
RACKCAST_BOTH inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Eighths of element `index` of the array that `seed` names: -8 to 8.
RACKCAST_BOTH inline int test_eighths(std::uint64_t seed, std::uint64_t index) {
  return static_cast<int>((mixed(seed * 0x632be59bd9b4e019ull + index) >> 33) % 17u) - 8;
}

RACKCAST_BOTH inline float test_value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(test_eighths(seed, index)) / 8.0f;
}

}  // namespace rackcast::cuda
