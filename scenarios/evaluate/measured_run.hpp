#pragma once
/// A run that the owner of a scenario has measured, as a question, and what it says of the model.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "scenarios/format/measured_spec.hpp"

namespace rackcast {

struct MeasuredRun {
  MeasuredSpec row;
  Question question;
};

/// The question of a row: that of its workload with the counts, batch, node and precision of the row.
MeasuredRun measured_run(const Scenario& scenario, const MeasuredSpec& row);

/// The rows of the scenario. Its clusters must be resolved.
std::vector<MeasuredRun> measured_runs(const Scenario& scenario);

/// One measurement beside the model, in the unit of the measurement.
struct MeasuredComparison {
  MeasuredRun run;
  std::string node;  ///< title
  int gpus = 0;
  double batch_per_gpu = 0;
  Estimate before, after;  ///< predicted without and with what was measured
  /// Standard deviations between ln(measured) and ln(before), with the error of the measurement.
  double deviation = 0;
  bool contradicts = false;            ///< outside of the 99 % predictive interval
  std::vector<std::size_t> conflicts;  ///< rows of the same run with another figure beyond both spreads
  /// Change of the answer's time to train by this row beside the others: with it over without it, less 1.
  std::optional<double> moved;
};

}  // namespace rackcast
