#pragma once
/// What the owner measured beside the model, in a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

struct Measured {
  std::string workload, node, metric, precision, source;
  std::int64_t nodes = 1, gpus = 1;
  std::optional<double> batch_per_gpu, requests;
  double measured = 0, spread = 0, deviation = 0;
  Prediction before, after;
  std::optional<double> moved;
  bool contradicts = false;
  std::vector<std::int64_t> conflicts;
};

}  // namespace rackcast::doc
