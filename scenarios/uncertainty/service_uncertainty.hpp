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
#include <string>

#include "scenarios/uncertainty/sampled_answer.hpp"

namespace rackcast {

class Catalog;
struct Scenario;

/// The answer that is sampled is the number of nodes, infinite where no number keeps the latency. Shares of
/// the variance are those of ln(nodes).
struct ServiceUncertainty : SampledAnswer {
  std::string title, precision;  ///< of the expected answer's node
  int spares = 0;                ///< of the expected answer, beyond the nodes for the busiest hour
};

/// Throws Error where the scenario has no answer in the middle of its ranges. `on_sample` as in
/// uncertainty.hpp.
ServiceUncertainty service_uncertainty(
    const Scenario& scenario, const Catalog& catalog, std::size_t samples,
    const std::function<void(std::size_t done, std::size_t about)>& on_sample = {});

/// As tables for people (sim/json/table_document.hpp).
std::string service_uncertainty_document(const Scenario& scenario, const ServiceUncertainty& report);

}  // namespace rackcast
