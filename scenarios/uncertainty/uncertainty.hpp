#pragma once
/// How sure an answer is: the scenario's ranges and the spread of the model, together.
///
/// One input more than there are ranges: the error of the model, log-normal with the 90 % interval that
/// `simulate` prints (kernels, network, input path and failure rates). The time of a sample is that of the
/// scenario at its point of the ranges, times the model's factor. Ranges are taken in 64 steps, so that steps
/// of training that have been simulated serve again.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/ranges.hpp"
#include "scenarios/uncertainty/sobol.hpp"

namespace rackcast {

struct TornadoRow {
  std::string input, low_text, high_text;
  Duration low{0}, high{0};  ///< time to train at either end, all else in the middle
  Sensitivity share;
};

struct UncertaintyReport {
  int nodes = 0;
  std::size_t samples = 0;
  std::vector<double> quantiles;     ///< time to train in s at 5, 25, 50, 75, 95 %
  std::optional<double> confidence;  ///< of meeting the deadline, if there is one
  std::vector<TornadoRow> tornado;   ///< by share, the largest first
  /// Fewest nodes that meet the deadline with this probability; nothing: not within goal.max_nodes.
  struct Confident {
    double probability = 0;
    std::optional<int> nodes;
  };
  std::vector<Confident> confident;
};

/// On the scenario's goal if it has one (then `nodes` is the expected answer unless given), else on its
/// cluster. Throws Error for a scenario that cannot be trained at all.
/// `on_sample` is told how many points have been evaluated, of about how many: the search for the nodes of a
/// confidence ends when it has found them.
UncertaintyReport uncertainty(const Scenario& scenario, const Catalog& catalog, std::size_t samples,
                              const std::function<void(std::size_t done, std::size_t about)>& on_sample = {});

/// As tables for people (sim/json/table_document.hpp).
std::string uncertainty_document(const Scenario& scenario, const UncertaintyReport& report);

}  // namespace rackcast
