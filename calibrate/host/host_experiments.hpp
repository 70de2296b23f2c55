#pragma once
/// The microkernels of the CPU: matrix product, memory bandwidth, image decoding.
#include <vector>

#include "calibrate/measure/experiment.hpp"

namespace rackcast {

struct HostPlan {
  int threads = 1;         ///< that we may use
  Bytes memory{8e9};       ///< of the machine
  Bytes cache{32e6};       ///< last level
  std::uint64_t seed = 1;  ///< of the test data
  bool thorough = false;
};

/// Eigen's product, on one thread and on all (each its own product, as data loaders would). 2 m n k FLOP.
std::vector<Experiment> cpu_gemm_experiments(const HostPlan& plan);

/// Read, copy and triad over buffers four times the cache, on one thread, half and all. Counted as
/// STREAM counts: the bytes that the program names, without the read-for-ownership of written lines.
/// Source: McCalpin, "Memory Bandwidth and Machine Balance", IEEE TCCA Newsletter, 1995.
std::vector<Experiment> memory_experiments(const HostPlan& plan);

/// Decoding of JPEG images made here, to RGB, on one thread and on all. Empty without libjpeg-turbo.
std::vector<Experiment> decode_experiments(const HostPlan& plan);
bool can_decode();

/// Thread counts worth measuring: 1, half, all.
std::vector<int> thread_steps(int threads);

}  // namespace rackcast
