#pragma once
/// Settings that a case of MLPerf Inference does not state and the rules of its benchmark fix: precision,
/// lengths, latency (models/data/benchmarks/mlperf_inference.json).
#include <optional>
#include <string>

#include "models/networks/operator.hpp"
#include "scenarios/validation/cases/case.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct InferenceBenchmark {
  Precision precision = Precision::int8;
  std::optional<double> tokens;          ///< of an encoder's sequence
  std::optional<double> prompt, output;  ///< tokens of a request; prompt empty: only its limit is known
  double longest_prompt = 0;
  double beams = 1;
  /// One image takes `passes` passes of the network with `samples_per_pass` samples each, and then one pass
  /// of the network `decoder`, if any.
  double passes = 1, samples_per_pass = 1;
  std::string decoder;
  double length_log_sigma = 0;             ///< spread of what is known of the lengths
  std::optional<Duration> latency, token;  ///< limits of the server scenario: whole answer, token to token
  bool server = false;                     ///< requests arrive at random; else all are there ("offline")
};

/// Nothing where the case is of no MLPerf scenario. Throws Unpredictable for a benchmark that is not known,
/// and for a run under a lowered power limit.
std::optional<InferenceBenchmark> benchmark_of_case(const ValidationCase& c);

}  // namespace rackcast
