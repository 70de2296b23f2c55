#pragma once
/// How many nodes serve a load that is not known exactly: the scenario's ranges and the spread of the
/// kernels, together.
///
/// A sample is the number of nodes that its busiest hour takes, on the node and precision of the expected
/// answer: load over what one node takes within the latency. All batches are slower or faster by one
/// log-normal factor, with the spread of the kernels' fit. Queues scale: a GPU whose batches take f times as
/// long keeps within L the f-th part of what it would keep within L / f, so one curve serves all factors; L /
/// f is taken to three digits, the rate of a GPU is known to 1 %.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/uncertainty/sobol.hpp"

namespace rackcast {

class Catalog;
struct Scenario;

struct ServiceUncertainty {
  std::string title, precision;  ///< of the expected answer's node
  int nodes = 0, spares = 0;     ///< of the expected answer: for the busiest hour, and beyond
  std::size_t samples = 0;
  std::vector<double> quantiles;  ///< nodes at 5, 25, 50, 75, 95 %; infinite where none keeps the latency
  double confidence = 0;          ///< that `nodes` are enough
  struct Row {
    std::string input, low_text, high_text;
    double low = 0, high = 0;  ///< nodes at either end, all else in the middle
    Sensitivity share;         ///< of the variance of ln(nodes)
  };
  std::vector<Row> tornado;  ///< by share, the largest first
  struct Confident {
    double probability = 0;
    std::optional<int> nodes;  ///< nothing: not within goal.max_nodes
  };
  std::vector<Confident> confident;
};

/// Throws Error where the scenario has no answer in the middle of its ranges. `on_sample` as in
/// uncertainty.hpp.
ServiceUncertainty service_uncertainty(
    const Scenario& scenario, const Catalog& catalog, std::size_t samples,
    const std::function<void(std::size_t done, std::size_t about)>& on_sample = {});

/// As tables for people (sim/json/table_document.hpp).
std::string service_uncertainty_document(const Scenario& scenario, const ServiceUncertainty& report);

}  // namespace rackcast
