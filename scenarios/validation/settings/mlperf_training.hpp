#pragma once
/// What a result of MLPerf Training leaves to the implementation of its benchmark: arithmetic, framework, and
/// in results of power the run itself (models/data/benchmarks/mlperf_training.json). Submitters of NVIDIA
/// GPUs run NVIDIA's implementation.
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

/// Nothing where the case is no training of MLPerf, or of a benchmark that the file does not know.
std::optional<TrainingBenchmark> training_benchmark_of(const ValidationCase& c);
/// Of the benchmark that trains this network.
std::optional<TrainingBenchmark> training_benchmark(const std::string& model);

}  // namespace rackcast
