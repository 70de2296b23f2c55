#pragma once
/// Settings of a result of MLPerf Training that the result does not state and its implementation fixes:
/// arithmetic and framework; for results of power also the batch and the samples of the run
/// (models/data/benchmarks/mlperf_training.json). Submitters of NVIDIA GPUs run NVIDIA's implementation.
#include <optional>
#include <string>

#include "models/networks/operator.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

struct TrainingBenchmark {
  Precision precision = Precision::mixed;  ///< on GPUs since Hopper; cases of older ones state theirs
  std::string framework;                   ///< where the result names none
  double batch = 0, samples = 0;           ///< of a run on eight GPUs to the target; 0: not known
};

/// The settings for a case. Nothing where the case is no training of MLPerf, or the file lacks its benchmark.
std::optional<TrainingBenchmark> training_benchmark_of(const ValidationCase& c);
/// The settings of the benchmark that trains this network.
std::optional<TrainingBenchmark> training_benchmark(const std::string& model);

}  // namespace rackcast
