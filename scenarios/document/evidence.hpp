#pragma once
/// Measured trainings beside an answer, in a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/form/figures.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::doc {

struct Evidence {
  struct Tally {
    std::int64_t rows = 0, cases = 0, covered = 0;
    double median_error = 0;
  };
  struct Run {
    std::string id, system, model, framework_key, framework, framework_version, precision, data, metric,
        source;
    std::optional<double> batch_per_gpu;
    std::optional<std::int64_t> gpus;
    double distance = 0, measured = 0;
    Prediction predicted, speed_ratio;
    std::vector<std::string> same, differs;
    bool system_assumed = false;
    std::int64_t like = 1, covered = 0;
  };
  Tally all, same_architecture, same_gpu;
  std::vector<Run> nearest;
};

/// Throws Error unless the ratio of speeds is above zero.
void check(const Evidence::Run& run, const Json& json);

}  // namespace rackcast::doc
